//! Answers with status 200, right and wrong.
#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests fail their test

use kb_rag_core::provider::{Answer, Batch, Fault, Input, Kind, Reading, Reason, Refusal};

/// Reads an answer for this many texts, of two dimensions.
fn read(kind: Kind, body: &str, texts: usize) -> Result<Answer, Fault> {
    read_model(kind, "m", body, texts, 2, None)
}

fn read_model(
    kind: Kind,
    model: &str,
    body: &str,
    texts: usize,
    dimensions: usize,
    natural: Option<usize>,
) -> Result<Answer, Fault> {
    let texts = vec!["text".to_owned(); texts];
    let batch = Batch { model, texts: &texts, dimensions, natural, input: Input::Document };
    kind.read_answer(body.as_bytes(), &batch).and_then(Reading::whole)
}

fn answer<const N: usize>(vectors: [[f32; 2]; N], tokens: Option<u64>) -> Result<Answer, Fault> {
    Ok(Answer { vectors: vectors.map(Vec::from).to_vec(), tokens })
}

/// An answer of OpenAI's form around these items.
fn openai(data: &str) -> String {
    format!(
        r#"{{"object":"list","data":[{data}],"model":"m","usage":{{"prompt_tokens":8,"total_tokens":8}}}}"#
    )
}

mod openai_shape {
    use super::*;

    #[test]
    fn numbers_or_base64() {
        let numbers = openai(r#"{"object":"embedding","index":0,"embedding":[3.0,4]}"#);
        assert_eq!(read(Kind::OpenAi, &numbers, 1), answer([[0.6, 0.8]], Some(8)));
        // 3.0 and 4.0, little-endian, with and without padding.
        for base64 in ["AABAQAAAgEA=", "AABAQAAAgEA"] {
            let base64 = openai(&format!(r#"{{"object":"embedding","index":0,"embedding":"{base64}"}}"#));
            assert_eq!(read(Kind::OpenAi, &base64, 1), answer([[0.6, 0.8]], Some(8)));
        }
    }

    #[test]
    fn in_the_order_of_the_indexes() {
        let body = openai(r#"{"index":1,"embedding":[0,2]},{"index":0,"embedding":[2,0]}"#);
        assert_eq!(read(Kind::OpenAi, &body, 2), answer([[1.0, 0.0], [0.0, 1.0]], Some(8)));
    }

    #[test]
    fn a_single_one_needs_no_index_and_usage_may_be_missing() {
        assert_eq!(read(Kind::OpenAi, r#"{"data":[{"embedding":[0,1]}]}"#, 1), answer([[0.0, 1.0]], None));
        let odd = r#"{"data":[{"embedding":[0,1],"index":0}],"usage":{"total_tokens":"many"},"error":null}"#;
        assert_eq!(read(Kind::OpenAi, odd, 1), answer([[0.0, 1.0]], None));
    }

    #[test]
    fn an_index_missing_doubled_or_out_of_range() {
        let order =
            |data, text| assert_eq!(read(Kind::OpenAi, &openai(data), 2), Err(Fault::Order(text)), "{data}");
        order(r#"{"embedding":[0,1]},{"embedding":[0,1]}"#, 0);
        order(r#"{"index":0,"embedding":[0,1]},{"embedding":[0,1]}"#, 1);
        order(r#"{"index":1,"embedding":[0,1]},{"index":1,"embedding":[0,1]}"#, 1);
        order(r#"{"index":0,"embedding":[0,1]},{"index":2,"embedding":[0,1]}"#, 1);
        order(r#"{"index":-1,"embedding":[0,1]},{"index":0,"embedding":[0,1]}"#, 0);
    }

    #[test]
    fn a_wrong_number_of_vectors() {
        let one = openai(r#"{"index":0,"embedding":[0,1]}"#);
        assert_eq!(read(Kind::OpenAi, &one, 2), Err(Fault::Count { expected: 2, found: 1 }));
        assert_eq!(read(Kind::OpenAi, &one, 0), Err(Fault::Count { expected: 0, found: 1 }));
        assert_eq!(read(Kind::OpenAi, &openai(""), 1), Err(Fault::Count { expected: 1, found: 0 }));
    }

    #[test]
    fn vectors_of_a_server_that_ignores_the_dimensions_are_truncated() {
        let four = openai(r#"{"index":0,"embedding":[3,4,5,6]}"#);
        let read = |natural| read_model(Kind::OpenAi, "text-embedding-3-small", &four, 1, 2, natural);
        assert_eq!(read(Some(4)), answer([[0.6, 0.8]], Some(8)));
        assert_eq!(read(None), answer([[0.6, 0.8]], Some(8)));
        assert_eq!(read(Some(1536)), Err(Fault::Dimension { expected: 2, found: 4 }));
    }

    #[test]
    fn invalid_vectors() {
        let fault = |embedding: &str| {
            let body =
                openai(&format!(r#"{{"index":0,"embedding":[0,1]}},{{"index":1,"embedding":{embedding}}}"#));
            read(Kind::OpenAi, &body, 2).unwrap_err()
        };
        assert_eq!(fault("[1]"), Fault::Dimension { expected: 2, found: 1 });
        assert_eq!(fault("[]"), Fault::Dimension { expected: 2, found: 0 });
        assert_eq!(fault("[0,0.0]"), Fault::Zero(1));
        for number in ["null", "-1e39", "NaN", "-Infinity", "Infinity", "1e400", "-1E+999"] {
            assert_eq!(fault(&format!("[{number},1]")), Fault::NotFinite(Some(1)), "{number}");
            assert_eq!(fault(&format!("[1, {number}]")), Fault::NotFinite(Some(1)), "{number}");
        }
        // NaN and 1.0 in base64.
        assert_eq!(fault(r#""AADAfwAAgD8=""#), Fault::NotFinite(Some(1)));
        for wrong in [r#""no base64""#, r#""AABA""#, r#"[[0,1]]"#, r#"["0","1"]"#, "null", "{}", "7"] {
            assert!(matches!(fault(wrong), Fault::NotAsDocumented(_)), "{wrong}");
        }
    }
}

mod ollama {
    use super::*;

    #[test]
    fn vectors() {
        let body = r#"{"model":"all-minilm","embeddings":[[3,4],[0,-1.5]],"total_duration":14143917,
            "load_duration":1019500,"prompt_eval_count":8}"#;
        assert_eq!(read(Kind::Ollama, body, 2), answer([[0.6, 0.8], [0.0, -1.0]], Some(8)));
        let cached = r#"{"model":"all-minilm","embeddings":[[3,4]]}"#;
        assert_eq!(read(Kind::Ollama, cached, 1), answer([[0.6, 0.8]], None));
    }

    #[test]
    fn errors_and_missing_vectors() {
        let empty = r#"{"model":"all-minilm","embeddings":[]}"#;
        assert_eq!(read(Kind::Ollama, empty, 1), Err(Fault::Count { expected: 1, found: 0 }));
        let error = r#"{"error":"an error was encountered while running the model"}"#;
        let said = "an error was encountered while running the model".to_owned();
        assert_eq!(read(Kind::Ollama, error, 1), Err(Fault::ErrorInside(said)));
    }

    #[test]
    fn the_older_route() {
        let texts = vec!["text".to_owned(); 2];
        let batch = Batch { model: "m", texts: &texts, dimensions: 2, natural: Some(3), input: Input::Query };
        let read = |bodies: [&str; 2]| {
            let bodies = bodies.map(|body| body.as_bytes().to_vec());
            Kind::Ollama.read_fallback(&bodies, &batch).and_then(Reading::whole)
        };
        let one = r#"{"embedding":[3,4,5]}"#;
        assert_eq!(read([one, r#"{"embedding":[0,2,0]}"#]), answer([[0.6, 0.8], [0.0, 1.0]], None));
        assert_eq!(read([one, r#"{"embedding":[1]}"#]), Err(Fault::Dimension { expected: 2, found: 1 }));
        assert_eq!(read([one, r#"{"error":"no"}"#]), Err(Fault::ErrorInside("no".to_owned())));
        let bodies = [one.as_bytes().to_vec()];
        let count = Err(Fault::Count { expected: 2, found: 1 });
        assert_eq!(Kind::Ollama.read_fallback(&bodies, &batch).and_then(Reading::whole), count);
    }
}

mod google {
    use super::*;

    /// Shortened vectors of gemini-embedding-001 do not have length 1.
    #[test]
    fn vectors() {
        let body = r#"{"embeddings":[{"values":[3,4]},{"values":[0.0,0.25]}]}"#;
        assert_eq!(read(Kind::Google, body, 2), answer([[0.6, 0.8], [0.0, 1.0]], None));
    }

    #[test]
    fn too_few() {
        assert_eq!(
            read(Kind::Google, r#"{"embeddings":[]}"#, 1),
            Err(Fault::Count { expected: 1, found: 0 })
        );
        // What protobuf writes for an empty list.
        assert!(matches!(read(Kind::Google, "{}", 1), Err(Fault::NotAsDocumented(_))));
    }
}

mod others {
    use super::*;

    #[test]
    fn cohere() {
        let body = r#"{"id":"1","embeddings":{"float":[[3,4],[0,2]]},"texts":["a","b"],
            "meta":{"api_version":{"version":"2"},"billed_units":{"input_tokens":2.0}},"response_type":"x"}"#;
        assert_eq!(read(Kind::Cohere, body, 2), answer([[0.6, 0.8], [0.0, 1.0]], Some(2)));
        let integers = r#"{"embeddings":{"int8":[[3,4]]}}"#;
        assert!(matches!(read(Kind::Cohere, integers, 1), Err(Fault::NotAsDocumented(_))));
    }

    #[test]
    fn voyage() {
        let body = r#"{"object":"list","data":[{"object":"embedding","embedding":"AABAQAAAgEA=","index":0}],
            "model":"voyage-3.5","usage":{"total_tokens":10}}"#;
        assert_eq!(read(Kind::Voyage, body, 1), answer([[0.6, 0.8]], Some(10)));
    }

    #[test]
    fn mistral() {
        let body = r#"{"id":"1","object":"list","data":[{"object":"embedding","embedding":[3,4],"index":0}],
            "model":"mistral-embed","usage":{"prompt_tokens":4,"total_tokens":4,"completion_tokens":0}}"#;
        assert_eq!(read(Kind::Mistral, body, 1), answer([[0.6, 0.8]], Some(4)));
    }

    #[test]
    fn tei() {
        assert_eq!(read(Kind::Tei, "[[3,4],[0,1]]", 2), answer([[0.6, 0.8], [0.0, 1.0]], None));
        assert_eq!(read(Kind::Tei, "[]", 1), Err(Fault::Count { expected: 1, found: 0 }));
        assert_eq!(read(Kind::Tei, "[[3,null]]", 1), Err(Fault::NotFinite(Some(0))));
    }
}

/// A number that is not finite costs its own text the vector, and no other. What looks like one in a string is text.
#[test]
fn a_number_that_is_not_finite_concerns_its_own_text() {
    let texts = vec!["text".to_owned(); 3];
    let batch = Batch { model: "NaN", texts: &texts, dimensions: 2, natural: None, input: Input::Document };
    for number in ["NaN", "-Infinity", "1e400", "null"] {
        let body = format!(
            r#"{{"model":"NaN \"1e999\\","object":[NaN,"Infinity"],"data":[{{"index":0,"embedding":[3,4]}},
                {{"index":1,"embedding":[1.5e-3,{number}]}},{{"index":2,"embedding":[0,2e0]}}],"usage":{{"total_tokens":9}}}}"#
        );
        let vectors = vec![Ok(vec![0.6, 0.8]), Err(Fault::NotFinite(Some(1))), Ok(vec![0.0, 1.0])];
        let reading = Reading { vectors, tokens: Some(9) };
        assert_eq!(Kind::OpenAi.read_answer(body.as_bytes(), &batch), Ok(reading), "{number}");
    }
}

/// Everything that can be wrong with a body, for every kind.
mod any_kind {
    use super::*;

    fn faults(body: &str) -> [Fault; 7] {
        Kind::ALL.map(|kind| read(kind, body, 1).expect_err(body))
    }

    #[test]
    fn not_json() {
        for (body, said) in [
            ("", "the provider's answer is not JSON: it is empty"),
            (" \n", "the provider's answer is not JSON: it is empty"),
            (
                "<!DOCTYPE html>\n<HTML><head><Title> Sign in\u{a0}to Wi-Fi </Title></head></html>",
                "the provider's answer is not JSON: Sign in to Wi-Fi",
            ),
            ("upstream connect\terror", "the provider's answer is not JSON: upstream connect error"),
        ] {
            for fault in faults(body) {
                assert!(matches!(fault, Fault::NotJson(_)), "{fault:?}");
                assert_eq!(fault.to_string(), said);
            }
        }
    }

    #[test]
    fn json_that_ends_early() {
        for body in
            ["{", "[", r#"{"data":[{"index":0,"embedding":[0.1,"#, r#"{"embeddings":[[0.1,0."#, "[[0.1"]
        {
            for fault in faults(body) {
                let cut = fault == Fault::Cut(body.len());
                // An array in place of an object is detected before its end.
                assert!(cut || matches!(fault, Fault::NotAsDocumented(_)), "{body}: {fault:?}");
            }
        }
    }

    #[test]
    fn json_too_deep() {
        for (open, close) in
            [("[", "]"), (r#"{"error":"#, "}"), (r#"{"data":"#, "}"), (r#"{"usage":["#, "]}")]
        {
            let deep = open.repeat(100_000) + &close.repeat(100_000);
            let unclosed = open.repeat(100_000);
            for body in [deep, unclosed] {
                for fault in faults(&body) {
                    assert!(
                        matches!(fault, Fault::NotJson(_) | Fault::Cut(_) | Fault::NotAsDocumented(_)),
                        "{fault:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_error_with_status_200() {
        for (body, said) in [
            (r#"{"error":{"message":"No endpoints found","code":404}}"#, "No endpoints found"),
            (r#"{"object":"list","data":[],"embeddings":[],"error":{"message":"late"}}"#, "late"),
            (r#"{"error":"overloaded","error_type":"overloaded"}"#, "overloaded"),
            (r#"{"detail":"try later"}"#, "try later"),
            (r#"{"object":"error","message":"no such tier","type":"x"}"#, "no such tier"),
        ] {
            for fault in faults(body) {
                assert_eq!(fault, Fault::ErrorInside(said.to_owned()));
            }
        }
    }

    #[test]
    fn json_of_another_form() {
        for body in [
            "null",
            "7",
            r#""vectors""#,
            "{}",
            r#"{"result":[[0,1]]}"#,
            r#"{"data":7,"embeddings":7}"#,
            "[7]",
        ] {
            for fault in faults(body) {
                assert!(matches!(fault, Fault::NotAsDocumented(_)), "{body}: {fault:?}");
            }
        }
    }

    #[test]
    fn messages_are_short_and_in_one_line() {
        let long = format!(r#"{{"error":"{}\u001b[2J\r\n"}}"#, "long words ".repeat(10_000));
        for fault in faults(&long) {
            let said = fault.to_string();
            assert!(said.chars().count() < 300, "{said}");
            assert!(!said.contains(char::is_control));
        }
        let huge = format!(r#"{{"data":"{}","embeddings":[]}}"#, "x".repeat(100_000));
        for fault in faults(&huge) {
            assert!(fault.to_string().chars().count() < 300);
        }
    }
}

#[test]
fn a_fault_is_a_refusal() {
    let reason = |fault: Fault| Refusal::from(fault).reason;
    assert_eq!(reason(Fault::Dimension { expected: 2, found: 3 }), Reason::BadVector);
    assert_eq!(reason(Fault::NotFinite(Some(0))), Reason::BadVector);
    assert_eq!(reason(Fault::Count { expected: 2, found: 3 }), Reason::Nonsense);
    assert_eq!(reason(Fault::Cut(7)), Reason::Broken);
    let refusal = Refusal::from(Fault::Zero(2));
    assert_eq!(refusal.message, "the provider's vector for text 3 is zero");
    assert_eq!(refusal.retry_after, None);
}
