//! Configuration parameters (`kb_rag.*`): the only module that reads them.

use std::ffi::CString;
use std::path::PathBuf;
use std::time::Duration;

use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting};

use crate::postgres::guc;
use crate::postgres::process;

static MODEL_PATH: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));
static QUERY_CACHE_TTL: GucSetting<i32> = GucSetting::<i32>::new(300);
static CA_FILE: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));
static ALLOWED_HOSTS: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

const MAX_QUERY_CACHE_TTL: i32 = 86_400;

static AUTO_INDEX: GucSetting<bool> = GucSetting::<bool>::new(true);
static AUTO_INDEX_MIN_CHARS: GucSetting<i32> = GucSetting::<i32>::new(100);
static CHAT_MODEL: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));
static CRAWL_DELAY: GucSetting<i32> = GucSetting::<i32>::new(1000);
static EXTRACT_MEMORY: GucSetting<i32> = GucSetting::<i32>::new(1024);
static EXTRACT_TIMEOUT: GucSetting<i32> = GucSetting::<i32>::new(60_000);
static EXTRACT_WORKERS: GucSetting<i32> = GucSetting::<i32>::new(2);
static INLINE_CHUNKS: GucSetting<i32> = GucSetting::<i32>::new(256);
static LOG_SEARCHES: GucSetting<bool> = GucSetting::<bool>::new(false);
static PARTIAL_RESULTS: GucSetting<bool> = GucSetting::<bool>::new(false);
static LOG_RETENTION: GucSetting<i32> = GucSetting::<i32>::new(DEFAULT_LOG_RETENTION);

/// 90 days, in minutes.
const DEFAULT_LOG_RETENTION: i32 = 90 * 24 * 60;

static WORKERS: GucSetting<i32> = GucSetting::<i32>::new(2);
static WORKER_STATEMENT_TIMEOUT: GucSetting<i32> = GucSetting::<i32>::new(30_000);

#[cfg(feature = "test_points")]
static TEST_POINTS: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));
#[cfg(feature = "test_points")]
static TEST_LIMITS: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

/// Defines the parameters; called once when the library is loaded.
pub fn define() {
    GucRegistry::define_string_guc(
        c"kb_rag.model_path",
        c"Directory that holds the local models, one directory each.",
        c"Empty means kb_rag/models in PostgreSQL's share directory, in those of extension_control_path, and beside the library.",
        &MODEL_PATH,
        GucContext::Suset,
        GucFlags::SUPERUSER_ONLY,
    );
    GucRegistry::define_bool_guc(
        c"kb_rag.auto_index",
        c"Sets whether kb_add_output adds documents.",
        c"Off means that it does nothing and returns NULL.",
        &AUTO_INDEX,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"kb_rag.auto_index_min_chars",
        c"Sets the number of characters that a text must exceed for kb_add_output to add it.",
        c"",
        &AUTO_INDEX_MIN_CHARS,
        0,
        i32::MAX,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_string_guc(
        c"kb_rag.chat_model",
        c"Chat model that rewrites conversations into queries, as provider/model.",
        c"Empty means none: the query is the last message of the customer.",
        &CHAT_MODEL,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"kb_rag.crawl_delay",
        c"Sets the least time between two requests for pages to the same host.",
        c"A host may ask for more in robots.txt, up to 10 seconds.",
        &CRAWL_DELAY,
        0,
        3_600_000,
        GucContext::Suset,
        GucFlags::UNIT_MS,
    );
    GucRegistry::define_int_guc(
        c"kb_rag.extract_memory",
        c"Sets how much memory the program that reads a file may use, besides the file itself.",
        c"",
        &EXTRACT_MEMORY,
        64,
        1 << 20,
        GucContext::Suset,
        GucFlags::UNIT_MB,
    );
    GucRegistry::define_int_guc(
        c"kb_rag.extract_timeout",
        c"Sets how long the program that reads a file may take.",
        c"",
        &EXTRACT_TIMEOUT,
        1,
        24 * 3_600_000,
        GucContext::Suset,
        GucFlags::UNIT_MS,
    );
    GucRegistry::define_int_guc(
        c"kb_rag.extract_workers",
        c"Sets how many files are read at the same time, in all databases.",
        c"Each is read by a program of its own. Others wait. If there are two or more, one is kept for files that are quick by kind.",
        &EXTRACT_WORKERS,
        1,
        64,
        GucContext::Suset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"kb_rag.inline_chunks",
        c"Sets how many chunks a statement embeds itself in embed mode auto with a local model.",
        c"Workers embed the rest.",
        &INLINE_CHUNKS,
        0,
        i32::MAX,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"kb_rag.workers",
        c"Sets the maximum number of background workers that embed at the same time in a database.",
        c"0 starts none; then only CALL kb_work() embeds.",
        &WORKERS,
        0,
        64,
        GucContext::Suset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"kb_rag.worker_statement_timeout",
        c"Sets the time limit of code of a knowledge base's owner in a worker or in CALL kb_work() of another role.",
        c"Applies to triggers, constraints, policies, and expressions of indexes and defaults. 0 turns the limit off.",
        &WORKER_STATEMENT_TIMEOUT,
        0,
        i32::MAX,
        GucContext::Suset,
        GucFlags::UNIT_MS,
    );
    GucRegistry::define_int_guc(
        c"kb_rag.query_cache_ttl",
        c"Sets how long query vectors are cached.",
        c"0 turns the cache off.",
        &QUERY_CACHE_TTL,
        0,
        MAX_QUERY_CACHE_TTL,
        GucContext::Userset,
        GucFlags::UNIT_S,
    );
    GucRegistry::define_string_guc(
        c"kb_rag.ca_file",
        c"File of PEM certificates that are trusted for providers, in addition to Mozilla's.",
        c"",
        &CA_FILE,
        GucContext::Suset,
        GucFlags::SUPERUSER_ONLY,
    );
    GucRegistry::define_string_guc(
        c"kb_rag.allowed_hosts",
        c"Hosts with private addresses that pages may be fetched from, and that providers of roles that are not superusers may reach.",
        c"A comma-separated list of host:port.",
        &ALLOWED_HOSTS,
        GucContext::Suset,
        GucFlags::SUPERUSER_ONLY,
    );
    GucRegistry::define_bool_guc(
        c"kb_rag.log_searches",
        c"Logs calls of kb_call_tool, kb_snippets, kb_retrieve and kb_rag.logged_search, with queries and results, in kb_rag.search_log, for all knowledge bases.",
        c"The view kb_rag.search_history shows the log. kb_configure turns it on for one knowledge base.",
        &LOG_SEARCHES,
        GucContext::Suset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"kb_rag.log_retention",
        c"Sets how long rows of kb_rag.search_log are kept.",
        c"-1 keeps them forever.",
        &LOG_RETENTION,
        -1,
        i32::MAX,
        GucContext::Suset,
        GucFlags::UNIT_MIN,
    );
    GucRegistry::define_bool_guc(
        c"kb_rag.partial_results",
        c"Leaves nodes of a cluster that do not answer out of searches over several nodes.",
        c"A warning names each of them. Off means that such a search fails.",
        &PARTIAL_RESULTS,
        GucContext::Userset,
        GucFlags::default(),
    );
    #[cfg(feature = "test_points")]
    define_for_tests();
    // A misspelt parameter is an error, not a setting that nobody reads.
    guc::reserve_prefix(c"kb_rag");
}

/// What `postgres::test_point` reads. Superusers only, as a test of another role's privileges must not depend on it. Not in
/// pg_settings, which is the same in all builds.
#[cfg(feature = "test_points")]
fn define_for_tests() {
    for (name, description, setting) in [
        (
            c"kb_rag.test_points",
            c"Advisory locks that the process waits for at points in the code, as point=number.",
            &TEST_POINTS,
        ),
        (
            c"kb_rag.test_limits",
            c"Limits in place of those in the code, as limit=number; times in milliseconds.",
            &TEST_LIMITS,
        ),
    ] {
        GucRegistry::define_string_guc(
            name,
            description,
            c"",
            setting,
            GucContext::Suset,
            GucFlags::NO_SHOW_ALL,
        );
    }
}

/// The value of `kb_rag.test_points`.
#[cfg(feature = "test_points")]
pub fn test_points() -> String {
    TEST_POINTS.get().map(|list| list.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The value of `kb_rag.test_limits`.
#[cfg(feature = "test_points")]
pub fn test_limits() -> String {
    TEST_LIMITS.get().map(|list| list.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Whether kb_add_output adds documents.
pub fn auto_index() -> bool {
    AUTO_INDEX.get()
}

/// How many characters a text must exceed for kb_add_output to add it.
pub fn auto_index_min_chars() -> usize {
    AUTO_INDEX_MIN_CHARS.get().unsigned_abs() as usize
}

/// The chat model that rewrites conversations; None if there is none.
pub fn chat_model() -> Option<String> {
    let name = CHAT_MODEL.get().filter(|name| !name.is_empty())?;
    Some(name.to_string_lossy().into_owned())
}

/// The least time between two requests for pages to the same host.
pub fn crawl_delay() -> Duration {
    Duration::from_millis(u64::from(CRAWL_DELAY.get().unsigned_abs()))
}

/// The memory, in bytes, that the program that reads a file may use besides the file.
pub fn extract_memory() -> u64 {
    u64::from(EXTRACT_MEMORY.get().unsigned_abs()) << 20
}

/// How long it may take.
pub fn extract_timeout() -> Duration {
    Duration::from_millis(u64::from(EXTRACT_TIMEOUT.get().unsigned_abs()))
}

/// How many files are read at the same time.
pub fn extract_workers() -> u32 {
    EXTRACT_WORKERS.get().unsigned_abs()
}

/// How many chunks a statement embeds itself at most, in embed mode auto.
pub fn inline_chunks() -> usize {
    INLINE_CHUNKS.get().unsigned_abs() as usize
}

/// How many workers a database may have.
pub fn workers() -> u16 {
    WORKERS.get().clamp(0, 64) as u16
}

/// How long owners' code may run at a time; None where it is not limited.
pub fn worker_statement_timeout() -> Option<Duration> {
    let milliseconds = u64::try_from(WORKER_STATEMENT_TIMEOUT.get()).unwrap_or(0);
    (milliseconds > 0).then(|| Duration::from_millis(milliseconds))
}

/// Session settings that a worker's transactions need, whatever the database sets for client sessions.
pub fn apply_worker_defaults() {
    for (name, value) in [
        (c"default_transaction_isolation", c"read committed"),
        (c"default_transaction_read_only", c"off"),
        (c"default_transaction_deferrable", c"off"),
        (c"statement_timeout", c"0"),
        (c"lock_timeout", c"0"),
        (c"deadlock_timeout", guc::YIELDING_DEADLOCK_TIMEOUT),
        #[cfg(any(feature = "pg17", feature = "pg18"))]
        (c"transaction_timeout", c"0"),
        (c"idle_in_transaction_session_timeout", c"0"),
        (c"session_replication_role", c"origin"),
    ] {
        guc::set_for_process(name, value);
    }
}

/// Whether calls of tools are logged.
pub fn log_searches() -> bool {
    LOG_SEARCHES.get()
}

/// Whether searches over several nodes leave out those that do not answer.
pub fn partial_results() -> bool {
    PARTIAL_RESULTS.get()
}

/// How long the log is kept; None if forever.
pub fn log_retention() -> Option<Duration> {
    u64::try_from(LOG_RETENTION.get()).ok().map(|minutes| Duration::from_secs(60 * minutes))
}

/// The directories of the local models. A model is in the first that has one of its name.
pub fn model_directories() -> Vec<PathBuf> {
    if let Some(path) = MODEL_PATH.get().filter(|path| !path.is_empty()) {
        return vec![PathBuf::from(path.to_string_lossy().into_owned())];
    }
    let mut found: Vec<PathBuf> = Vec::new();
    for directory in guc::extension_directories().into_iter().chain(process::library_directory()) {
        let models = directory.join("kb_rag").join("models");
        if !found.contains(&models) {
            found.push(models);
        }
    }
    found
}

/// How long the vector of a query is cached; None if it is not.
pub fn query_cache_ttl() -> Option<Duration> {
    u64::try_from(QUERY_CACHE_TTL.get()).ok().filter(|&seconds| seconds > 0).map(Duration::from_secs)
}

/// The file of additional certificates.
pub fn ca_file() -> Option<PathBuf> {
    let file = CA_FILE.get().filter(|file| !file.is_empty())?;
    Some(PathBuf::from(file.to_string_lossy().into_owned()))
}

/// Whether providers of any owner may reach `address`, host and port in lower case, at a private address.
pub fn is_allowed_host(address: &str) -> bool {
    ALLOWED_HOSTS.get().is_some_and(|list| {
        list.to_string_lossy().split(',').any(|host| host.trim().eq_ignore_ascii_case(address))
    })
}
