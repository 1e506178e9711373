//! Answers with a status other than 200: what is wrong, what was said, how long to wait.
#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests fail their test

use core::time::Duration;
use kb_rag_core::provider::{Kind, Reason, Refusal};

/// 2025-06-01 12:00:00 UTC.
const NOW: f64 = 1_748_779_200.0;

/// Unwraps lines of the body, even inside strings.
fn read(kind: Kind, status: u16, headers: &[(&str, &str)], body: &str) -> Refusal {
    let headers: Vec<_> = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    kind.read_refusal(status, &headers, body.replace("\n            ", " ").as_bytes(), NOW)
}

fn reason(kind: Kind, status: u16, body: &str) -> Reason {
    read(kind, status, &[], body).reason
}

fn wait(headers: &[(&str, &str)], body: &str) -> Option<f64> {
    read(Kind::OpenAi, 429, headers, body).retry_after.map(|wait| wait.as_secs_f64())
}

mod reasons {
    use super::*;

    #[test]
    fn by_status() {
        for (statuses, expected) in [
            (&[429, 503, 529][..], Reason::Overloaded),
            (&[402], Reason::QuotaExhausted),
            (&[401, 403, 407], Reason::Unauthorized),
            (&[301, 302, 307, 308, 404, 405, 410, 415, 501], Reason::NotFound),
            (&[400, 413, 422, 498], Reason::BadItem),
            (&[408, 409, 424, 425, 499, 500, 502, 504, 520, 599], Reason::Transient),
            (&[201, 204], Reason::Nonsense),
        ] {
            for &status in statuses {
                for kind in Kind::ALL {
                    for body in ["", "{}", r#"{"error":{"message":"m"}}"#, "<html>", "\u{0}"] {
                        assert_eq!(reason(kind, status, body), expected, "{status} {body}");
                    }
                }
            }
        }
    }

    #[test]
    fn openai() {
        let long = r#"{"error":{"message":"This model's maximum context length is 8192 tokens, however you requested
            8610 tokens (8610 in your prompt; 0 for the completion).","type":"invalid_request_error","param":null,
            "code":null}}"#;
        assert_eq!(reason(Kind::OpenAi, 400, long), Reason::BadItem);
        let rate = r#"{"error":{"message":"Rate limit reached for m in organization o on tokens per min (TPM): Limit
            1000000, Used 999000, Requested 5000. Please try again in 240ms.","type":"tokens","param":null,
            "code":"rate_limit_exceeded"}}"#;
        assert_eq!(reason(Kind::OpenAi, 429, rate), Reason::Overloaded);
        let quota = r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing
            details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#;
        assert_eq!(reason(Kind::OpenAi, 429, quota), Reason::QuotaExhausted);
        let model = r#"{"error":{"message":"Project `p` does not have access to model `m`","type":
            "invalid_request_error","param":null,"code":"model_not_found"}}"#;
        assert_eq!(reason(Kind::OpenAi, 403, model), Reason::NotFound);
    }

    #[test]
    fn servers_that_speak_openai() {
        let llama_cpp = r#"{"error":{"code":500,"message":"input is too large to process. increase the physical batch
            size","type":"server_error"}}"#;
        assert_eq!(reason(Kind::OpenAi, 500, llama_cpp), Reason::BadItem);
        let newer = r#"{"error":{"code":500,"message":"input (992 tokens) is too large to process. increase the
            physical batch size (current batch size: 512)","type":"server_error"}}"#;
        assert_eq!(reason(Kind::OpenAi, 500, newer), Reason::BadItem);
        let loading = r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#;
        assert_eq!(reason(Kind::OpenAi, 503, loading), Reason::Overloaded);
        let litellm =
            r#"{"error":{"message":"Invalid model name passed in model=m","type":"None","code":"400"}}"#;
        assert_eq!(reason(Kind::OpenAi, 400, litellm), Reason::NotFound);
        let tei = r#"{"message":"Model is overloaded","code":429,"error_type":"overloaded"}"#;
        assert_eq!(reason(Kind::OpenAi, 429, tei), Reason::Overloaded);
    }

    /// A text that mentions models must not stop the work on all others.
    #[test]
    fn quoted_texts_decide_nothing() {
        let quoting = r#"{"error":{"message":"'$.input' is invalid: \"Invalid model name passed, insufficient_quota,
            API_KEY_INVALID, the model x is not supported. supported models are y\""}}"#;
        assert_eq!(reason(Kind::OpenAi, 400, quoting), Reason::BadItem);
    }

    #[test]
    fn ollama() {
        assert_eq!(reason(Kind::Ollama, 404, r#"{"error":"model 'm' not found"}"#), Reason::NotFound);
        assert_eq!(reason(Kind::Ollama, 404, "404 page not found"), Reason::NotFound);
        let long = r#"{"error":"the input length exceeds the context length"}"#;
        assert_eq!(reason(Kind::Ollama, 400, long), Reason::BadItem);
        assert_eq!(reason(Kind::Ollama, 500, long), Reason::BadItem);
        let busy = r#"{"error":"server busy, please try again.  maximum pending requests exceeded"}"#;
        assert_eq!(reason(Kind::Ollama, 503, busy), Reason::Overloaded);
        let chat = r#"{"error":"this model does not support embeddings"}"#;
        assert_eq!(reason(Kind::Ollama, 400, chat), Reason::NotFound);
        let crash = r#"{"error":"do embedding request: Post \"http://127.0.0.1:1/embedding\": EOF"}"#;
        assert_eq!(reason(Kind::Ollama, 500, crash), Reason::Transient);
        assert_eq!(reason(Kind::Ollama, 400, crash), Reason::Transient);
    }

    #[test]
    fn google() {
        let key = r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.",
            "status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",
            "reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}"#;
        assert_eq!(reason(Kind::Google, 400, key), Reason::Unauthorized);
        let country = r#"{"error":{"code":400,"message":"User location is not supported for the API use.",
            "status":"FAILED_PRECONDITION"}}"#;
        assert_eq!(reason(Kind::Google, 400, country), Reason::Unauthorized);
        let many = r#"{"error":{"code":400,"message":"* BatchEmbedContentsRequest.requests: at most 100 requests can be
            in one batch","status":"INVALID_ARGUMENT"}}"#;
        assert_eq!(reason(Kind::Google, 400, many), Reason::BadItem);
        let gone = r#"[{"error":{"code":404,"message":"models/text-embedding-004 is not found for API version v1beta",
            "status":"NOT_FOUND"}}]"#;
        let refusal = read(Kind::Google, 404, &[], gone);
        assert_eq!(refusal.reason, Reason::NotFound);
        assert_eq!(refusal.message, "models/text-embedding-004 is not found for API version v1beta");
        // The same words as OpenAI's, but for a limit per minute.
        let rate = r#"{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and
            billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":
            "type.googleapis.com/google.rpc.Help"},{"@type":"type.googleapis.com/google.rpc.RetryInfo",
            "retryDelay":"34.5s"}]}}"#;
        let refusal = read(Kind::Google, 429, &[], rate);
        assert_eq!(refusal.reason, Reason::Overloaded);
        assert_eq!(refusal.retry_after, Some(Duration::from_millis(34_500)));
    }

    #[test]
    fn cohere() {
        let minute = r#"{"id":"1","message":"You are using a Trial key, which is limited to 100 API calls / minute."}"#;
        assert_eq!(reason(Kind::Cohere, 429, minute), Reason::Overloaded);
        let month = r#"{"id":"1","message":"You are using a Trial key, which is limited to 1000 API calls / month."}"#;
        assert_eq!(reason(Kind::Cohere, 429, month), Reason::QuotaExhausted);
        let key = r#"{"id":"1","message":"invalid api token"}"#;
        assert_eq!(reason(Kind::Cohere, 401, key), Reason::Unauthorized);
        let model = r#"{"id":"1","message":"model 'm' not found, make sure the correct model ID was used"}"#;
        assert_eq!(reason(Kind::Cohere, 404, model), Reason::NotFound);
    }

    #[test]
    fn voyage() {
        let model = r#"{"detail":"Model m is not supported. Supported models are ['voyage-3.5', 'voyage-3.5-lite']."}"#;
        assert_eq!(reason(Kind::Voyage, 400, model), Reason::NotFound);
        let long = r#"{"detail":"Request to model 'voyage-3.5' failed. The example at index 0 in your batch has too
            many tokens and does not fit into the model's context window of 32000 tokens."}"#;
        assert_eq!(reason(Kind::Voyage, 400, long), Reason::BadItem);
        let key = r#"{"detail":"Provided API key is invalid."}"#;
        let refusal = read(Kind::Voyage, 401, &[], key);
        assert_eq!(
            (refusal.reason, &*refusal.message),
            (Reason::Unauthorized, "Provided API key is invalid.")
        );
    }

    #[test]
    fn mistral() {
        let many = r#"{"object":"error","message":"Too many tokens overall, split into more batches.",
            "type":"invalid_request_prompt","param":null,"code":"3210"}"#;
        assert_eq!(reason(Kind::Mistral, 400, many), Reason::BadItem);
        let model = r#"{"object":"error","message":"Invalid model: m","type":"invalid_model","code":"1500"}"#;
        assert_eq!(reason(Kind::Mistral, 400, model), Reason::NotFound);
        let field =
            r#"{"detail":[{"loc":["body","dimensions"],"msg":"Extra inputs are not permitted","type":"x"}]}"#;
        let refusal = read(Kind::Mistral, 422, &[], field);
        assert_eq!(refusal.reason, Reason::BadItem);
        assert_eq!(refusal.message, "body.dimensions: Extra inputs are not permitted");
    }

    #[test]
    fn tei() {
        for (status, body, expected) in [
            (400, r#"{"error":"Batch is empty","error_type":"empty"}"#, Reason::BadItem),
            (413, r#"{"error":"Batch size error","error_type":"validation"}"#, Reason::BadItem),
            (422, r#"{"error":"Tokenization error","error_type":"tokenizer"}"#, Reason::BadItem),
            (424, r#"{"error":"Inference failed","error_type":"backend"}"#, Reason::Transient),
            (429, r#"{"error":"Model is overloaded","error_type":"overloaded"}"#, Reason::Overloaded),
        ] {
            assert_eq!(reason(Kind::Tei, status, body), expected, "{body}");
        }
    }

    #[test]
    fn the_server_says_whether_to_try_again() {
        let reason = |status, again| read(Kind::OpenAi, status, &[("x-should-retry", again)], "").reason;
        assert_eq!(reason(429, "false"), Reason::QuotaExhausted);
        assert_eq!(reason(429, "true"), Reason::Overloaded);
        assert_eq!(reason(400, "true"), Reason::Transient);
        assert_eq!(reason(401, "true"), Reason::Unauthorized);
    }
}

mod messages {
    use super::*;

    fn message(body: &str) -> String {
        read(Kind::OpenAi, 500, &[], body).message
    }

    #[test]
    fn are_what_the_provider_said() {
        for (body, said) in [
            (r#"{"error":{"message":"broken"}}"#, "broken"),
            (r#"{"error":"broken"}"#, "broken"),
            (r#"{"id":"1","message":"broken"}"#, "broken"),
            (r#"{"detail":"broken"}"#, "broken"),
            (
                r#"{"detail":[{"loc":["body","input",0],"msg":"field required","type":"missing"}]}"#,
                "body.input.0: field required",
            ),
            (
                r#"{"object":"error","message":{"detail":[{"loc":["body"],"msg":"not permitted"}]}}"#,
                "body: not permitted",
            ),
            ("broken\r\n\tpipe\u{1b}[31m\u{0}", "broken pipe [31m"),
            ("<html><head><title>502 Bad Gateway</title></head></html>", "502 Bad Gateway"),
            (r#"{"odd":7}"#, r#"{"odd":7}"#),
            ("", "HTTP status 500"),
            (r#"{"error":{"message":" \n"}}"#, "HTTP status 500"),
        ] {
            assert_eq!(message(body), said);
        }
    }

    #[test]
    fn are_short() {
        for body in
            ["ä".repeat(1000), "ä ".repeat(1000), format!(r#"{{"error":"{}"}}"#, "x".repeat(2_000_000))]
        {
            let message = message(&body);
            assert!(message.chars().count() <= 300, "{message}");
            assert!(message.ends_with('…'));
        }
        assert_eq!(message(&"ä".repeat(300)), "ä".repeat(300));
    }

    #[test]
    fn of_redirects_name_the_target_without_its_query() {
        let read = |headers| read(Kind::OpenAi, 308, headers, "<title>Moved</title>").message;
        assert_eq!(
            read(&[("location", "https://x.test/v1/embeddings?token=secret#f")]),
            "HTTP status 308, a redirect to https://x.test/v1/embeddings"
        );
        assert_eq!(read(&[]), "HTTP status 308, a redirect");
    }
}

mod waits {
    use super::*;

    #[test]
    fn in_headers() {
        for (headers, seconds) in [
            (&[("retry-after-ms", "1500")][..], Some(1.5)),
            (&[("retry-after", "20")], Some(20.0)),
            (&[("Retry-After", " 0.25 ")], Some(0.25)),
            (&[("retry-after", "Sun, 01 Jun 2025 12:00:30 GMT")], Some(30.0)),
            (&[("retry-after", "Sunday, 01-Jun-25 12:01:00 GMT")], Some(60.0)),
            (&[("retry-after-ms", "1500"), ("retry-after", "20")], Some(1.5)),
            (&[("retry-after-ms", "soon"), ("retry-after", "20")], Some(20.0)),
            (&[("x-ratelimit-reset-requests", "1s")], Some(1.0)),
            (&[("x-ratelimit-reset-tokens", "6m0s")], Some(360.0)),
            (&[("x-ratelimit-reset-tokens", "250ms")], Some(0.25)),
            (&[("x-ratelimit-reset-tokens", "1h2m3.5s")], Some(3723.5)),
            (&[("x-ratelimit-reset-tokens", "12")], Some(12.0)),
            (&[("retry-after", "20"), ("x-ratelimit-reset-tokens", "6m0s")], Some(20.0)),
        ] {
            assert_eq!(wait(headers, ""), seconds, "{headers:?}");
        }
    }

    /// A header is more exact than the message, and the message than what the limits say.
    #[test]
    fn that_are_said_more_than_once() {
        let message = r#"{"error":{"message":"Rate limit reached for m in organization o on tokens per min (TPM): Limit 9,
            Used 9, Requested 9. Please try again in 0.6s.","code":"rate_limit_exceeded"}}"#;
        let date = [("retry-after", "Sun, 01 Jun 2025 12:00:03 GMT")];
        for (status, headers, body, seconds) in [
            (429, &[("retry-after", "1")][..], message, Some(1.0)),
            (429, &[("Retry-After", "0.7")], message, Some(0.7)),
            (429, &date, message, Some(3.0)),
            (429, &[("retry-after-ms", "300")], message, Some(0.3)),
            (429, &[("x-ratelimit-reset-tokens", "800ms")], message, Some(0.6)),
            (429, &[], message, Some(0.6)),
            (429, &[], r#"{"error":{"message":"slow down"}}"#, None),
            (503, &[("retry-after", "1")], r#"{"error":{"message":"busy"}}"#, Some(1.0)),
        ] {
            let refusal = read(Kind::OpenAi, status, headers, body);
            assert_eq!(refusal.reason, Reason::Overloaded, "{headers:?}");
            let wait = refusal.retry_after.map(|wait| wait.as_secs_f64());
            assert_eq!(wait, seconds, "{status} {headers:?}");
        }
    }

    #[test]
    fn only_a_limit_that_is_used_up_counts() {
        let wait = |requests, tokens| {
            let headers = [
                ("x-ratelimit-remaining-requests", requests),
                ("x-ratelimit-remaining-tokens", tokens),
                ("x-ratelimit-reset-requests", "1s"),
                ("x-ratelimit-reset-tokens", "6m0s"),
            ];
            wait(&headers, "")
        };
        assert_eq!(wait("0", "149984"), Some(1.0));
        assert_eq!(wait("4999", "0"), Some(360.0));
        assert_eq!(wait("0", "0"), Some(360.0));
        assert_eq!(wait("4999", "149984"), Some(1.0));
    }

    #[test]
    fn in_messages() {
        for (message, seconds) in [
            ("Rate limit reached. Please try again in 41.724s. Visit https://x.test", Some(41.724)),
            ("Please try again in 6m0s.", Some(360.0)),
            ("Please try again in 6ms", Some(0.006)),
            ("Please retry in 34.074824224s.", Some(34.074824224)),
            ("Please retry after 12 seconds.", Some(12.0)),
            ("Please retry after 1 second.", Some(1.0)),
            ("Please try again in 20 minutes.", Some(1200.0)),
            ("Please try again in a moment.", None),
            ("Please try again in", None),
            ("Please try again in 5 furlongs", None),
        ] {
            assert_eq!(wait(&[], &format!(r#"{{"error":{{"message":"{message}"}}}}"#)), seconds, "{message}");
        }
    }

    #[test]
    fn that_are_invalid_are_ignored() {
        for value in [
            "",
            "0",
            "-5",
            "NaN",
            "inf",
            "soon",
            "Sun, 01 Jun 2025 11:59:00 GMT",
            "1e999",
            "Mon, 99 Jun 2025",
        ] {
            assert_eq!(wait(&[("retry-after", value)], ""), None, "{value}");
        }
        for value in ["s", "1", "1x", "..s", "9s9", "-1s", "1s1"] {
            let body = format!(r#"{{"error":{{"message":"m","details":[{{"retryDelay":"{value}"}}]}}}}"#);
            assert_eq!(wait(&[], &body), None, "{value}");
        }
    }

    #[test]
    fn longer_than_a_day_are_cut_to_a_day() {
        for value in ["86401", "1e300", "Wed, 01 Jun 2225 12:00:00 GMT"] {
            assert_eq!(wait(&[("retry-after", value)], ""), Some(86_400.0), "{value}");
        }
    }
}
