//! Identifiers of agents.

use uuid::Uuid;

/// The namespace of agents' names, as the manual gives it. It must never change: names would become other agents.
const NAMESPACE: Uuid = Uuid::from_u128(0x4e7d3a52_8c1b_4f69_9a0e_6b72d5c3f184);

/// The identifier of the agent of this name: the name itself where PostgreSQL reads it as a UUID, else its UUIDv5.
pub fn id_of(name: &str) -> [u8; 16] {
    as_uuid(name).unwrap_or_else(|| Uuid::new_v5(&NAMESPACE, name.as_bytes()).into_bytes())
}

/// A UUID as PostgreSQL's `uuid_in` reads it, None for any other text: hexadecimal digits with a hyphen after any four of them, in braces or not.
pub fn as_uuid(text: &str) -> Option<[u8; 16]> {
    let mut rest = text.as_bytes();
    if let Some(inner) = rest.strip_prefix(b"{") {
        rest = inner.strip_suffix(b"}")?;
    }
    let mut bytes = [0; 16];
    for (place, byte) in bytes.iter_mut().enumerate() {
        let (&[high, low], after) = rest.split_first_chunk()?;
        *byte = (digit(high)? << 4) | digit(low)?;
        let may_have_hyphen = place % 2 == 1 && place < 15;
        rest = after.strip_prefix(b"-").filter(|_| may_have_hyphen).unwrap_or(after);
    }
    rest.is_empty().then_some(bytes)
}

fn digit(character: u8) -> Option<u8> {
    char::from(character).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(name: &str) -> String {
        Uuid::from_bytes(id_of(name)).to_string()
    }

    #[test]
    fn a_uuid_in_any_form_of_postgres_is_itself() {
        let id = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
        for form in [
            id,
            "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
            "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
            "a0eebc999c0b4ef8bb6d6bb9bd380a11",
            "a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11",
            "{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}",
        ] {
            assert_eq!(text(form), id, "{form}");
        }
    }

    #[test]
    fn any_other_text_is_a_name() {
        let id = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
        for name in [
            "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
            "{{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}}",
            " a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a111",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11-",
            "-a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "a0eebc99--9c0b-4ef8-bb6d-6bb9bd380a11",
            "a0eebc-999c0b-4ef8-bb6d-6bb9bd380a11",
            "g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        ] {
            assert_ne!(text(name), id, "{name}");
            assert_eq!(&text(name)[14..15], "5", "{name}");
        }
    }

    /// Written down: applications compute the same with the namespace of the manual.
    #[test]
    fn names_keep_their_identifiers() {
        assert_eq!(text("agt_xyz789"), "573c0015-ca03-5f6f-90b5-317c1dfff7b9");
        assert_eq!(text("Ünïcode agent"), "b9e219ab-853e-54d9-9873-e6eca3a999af");
    }

    proptest! {
        #[test]
        fn every_uuid_is_itself(bytes: [u8; 16]) {
            let id = Uuid::from_bytes(bytes);
            prop_assert_eq!(id_of(&id.to_string()), bytes);
            prop_assert_eq!(id_of(&id.simple().to_string()), bytes);
            prop_assert_eq!(id_of(&id.braced().to_string()), bytes);
        }
    }
}
