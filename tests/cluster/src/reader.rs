//! An agent with a search block in its manifest, and the server that it asks: the provider of its models, and a search endpoint.

use postgres::Client;
use serde_json::{Value, json};

use crate::mock::{Call, Mock, Reply};
use crate::pipeline::{Notices, RemoteSession};
use crate::{Database, Session};

/// The dimensions of the table's vectors.
pub const DIMENSIONS: usize = 8;

/// The path of the endpoint, and that of chat models.
pub const SEARCH: &str = "/agent-search";
const CHAT: &str = "/chat/completions";

/// An agent that logs in as a role with a grant on both providers.
pub struct Agent {
    /// Its own.
    pub database: Database,
    /// Provider `mock` of embeddings and chat models, and the endpoint of provider `search`.
    pub mock: Mock,
    /// A superuser.
    pub owner: Client,
    /// The agent's role.
    pub role: String,
    /// The agent.
    pub client: Client,
    /// What the server tells the agent besides results.
    pub notices: Notices,
}

impl Agent {
    /// Starts the server, and sets up the role.
    pub fn start() -> Agent {
        let database = Database::create();
        let mock = Mock::openai();
        let mut owner = database.connect();
        owner.set_provider("mock", &mock);
        owner.run(&format!(
            "SELECT kb_provider_set('search', kind => 'external', base_url => 'http://{}')",
            mock.address()
        ));
        let role = database.create_role("agent");
        owner.run(&format!(
            "SELECT kb_provider_grant('mock', '{role}'), kb_provider_grant('search', '{role}')"
        ));
        let (client, notices) = database.connect_listening(&role);
        Agent { database, mock, owner, role, client, notices }
    }

    /// The agent in a new session, with lower limits (`kb_rag.test_limits`). What does not end by them ends with an error.
    pub fn connect_with(&mut self, limits: &str) {
        self.database.set("kb_rag.test_limits", limits);
        (self.client, self.notices) = self.database.connect_listening(&self.role);
        self.client.run("SET statement_timeout = '20s'");
    }

    /// A block of type external that asks the mock.
    pub fn endpoint(&self) -> Value {
        let address = self.mock.address();
        json!({"type": "external", "hostname": address.ip().to_string(), "port": address.port(), "path": SEARCH})
    }

    /// Makes the table of a block of type pgvector, whose texts the model of the mock embeds, and returns the block.
    pub fn table(&mut self, texts: &[&str]) -> Value {
        self.owner.run(&format!(
            "CREATE TABLE support_articles (id int PRIMARY KEY, vec vector({DIMENSIONS}), metadata jsonb);
             GRANT SELECT ON support_articles TO {}",
            self.role
        ));
        for (id, text) in texts.iter().enumerate() {
            let vector = format!("{:?}", self.mock.vector(text, DIMENSIONS));
            let metadata = json!({"content": text, "kb_location": "article"}).to_string();
            self.owner.run(&format!(
                "INSERT INTO support_articles VALUES ({id}, '{vector}', '{}')",
                metadata.replace('\'', "''")
            ));
        }
        json!({
            "type": "pgvector", "hostname": "localhost", "port": 5432, "user": self.role, "password": "${KB_PG_PASSWORD}",
            "dbname": self.database.name(), "collection": "support_articles", "embedding_model": "mock/small",
            "embedding_dimensions": DIMENSIONS
        })
    }

    /// Answers calls of a path.
    pub fn answers(&self, path: &'static str, reply: Reply) {
        self.mock.when(move |call| call.path.ends_with(path), reply);
    }

    /// Answers as a chat model.
    pub fn rewrites(&self, query: &str) {
        let body = json!({"choices": [{"message": {"role": "assistant", "content": query}}],
            "usage": {"prompt_tokens": 150, "completion_tokens": 9}});
        self.answers(CHAT, Reply::json(body.to_string()));
    }

    /// Answers calls of the chat model otherwise.
    pub fn chats(&self, reply: Reply) {
        self.answers(CHAT, reply);
    }

    /// The calls of the chat model, of the embedding model, or of the endpoint.
    pub fn calls(&self, path: &str) -> Vec<Call> {
        self.mock.calls().into_iter().filter(|call| call.path.ends_with(path)).collect()
    }

    /// The calls of the chat model.
    pub fn chat_calls(&self) -> Vec<Call> {
        self.calls(CHAT)
    }

    /// What the agent gets, without a message of the server.
    pub fn retrieves(&mut self, search: &Value, messages: &Value) -> Option<String> {
        let found = self.retrieve(search, messages);
        assert_eq!(self.notices.take(), Vec::<String>::new());
        found
    }

    /// What the agent gets; its messages can be taken.
    pub fn retrieve(&mut self, search: &Value, messages: &Value) -> Option<String> {
        self.client.value(&call(search, messages), &[])
    }

    /// Fails unless the agent gets nothing and one warning, which says this.
    pub fn gets_nothing(&mut self, search: &Value, messages: &Value, said: &str) {
        assert_eq!(self.retrieve(search, messages), None, "{said}");
        let notices = self.notices.take();
        assert!(notices.len() == 1 && notices[0].contains(said), "no {said:?} in {notices:?}");
        assert!(notices[0].contains("; nothing was retrieved"), "{notices:?}");
    }
}

/// A call of kb_retrieve.
pub fn call(search: &Value, messages: &Value) -> String {
    let quoted = |value: &Value| value.to_string().replace('\'', "''");
    format!(
        "SELECT kb_retrieve('{}', '{}', session_id => 'sess_abc123', agent_id => 'agt_xyz789')",
        quoted(search),
        quoted(messages)
    )
}

/// A call of kb_check_search.
pub fn check(search: &Value) -> String {
    format!("SELECT kb_check_search('{}')", search.to_string().replace('\'', "''"))
}

/// A conversation that ends with a question of the customer.
pub fn conversation(question: &str) -> Value {
    json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What is your cancellation policy?"},
        {"role": "assistant", "content": "Free cancellation up to 24 hours before pickup."},
        {"role": "Human", "content": question},
    ])
}
