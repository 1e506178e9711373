use proptest::prelude::*;

use super::*;

const TYPE: &str = "multipart/form-data; boundary=XX";

/// The parts of a form that comes in pieces that end at these places.
fn read(content_type: &str, body: &[u8], ends: &[usize]) -> Result<Vec<(Head, Vec<u8>)>, Wrong> {
    let mut form = Multipart::new(content_type)?;
    let (mut parts, mut open, mut from) = (Vec::new(), None, 0);
    for end in ends.iter().copied().chain([body.len()]) {
        let end = end.clamp(from, body.len());
        form.feed(&body[from..end]);
        from = end;
        while let Some(event) = form.event()? {
            match event {
                Event::Part(head) => assert!(open.replace((head, Vec::new())).is_none()),
                Event::Data(data) => open.as_mut().unwrap().1.extend(data),
                Event::End => parts.push(open.take().unwrap()),
            }
        }
    }
    form.finish().map(|()| parts)
}

fn whole(body: &str) -> Result<Vec<(Head, Vec<u8>)>, Wrong> {
    read(TYPE, body.as_bytes(), &[])
}

fn part(disposition: &str, content: &str) -> String {
    format!("--XX\r\nContent-Disposition: {disposition}\r\n\r\n{content}\r\n")
}

fn file(name: &str) -> Head {
    Head { name: "file".to_string(), filename: Some(name.to_string()) }
}

#[test]
fn fields_and_files() {
    let body = "a preamble\r\n--XX  \t\r\ncontent-disposition: form-data; name=\"knowledge_base\"\r\n\r\nnotes\r\n\
        --XX\r\nContent-Disposition: form-data;\r\n name=file; filename=\"a;b.md\"\r\nContent-Type: text/markdown\r\n\r\n# A\r\n\r\n--X\r\n--XXa\r\n--XX-\r\n\
        --XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"empty\"\r\n\r\n\r\n\
        --XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"none\"\r\n\r\n--XX--\r\nan epilogue\r\n--XX\r\n";
    let expected = [
        (Head { name: "knowledge_base".to_string(), filename: None }, b"notes".to_vec()),
        (file("a;b.md"), b"# A\r\n\r\n--X\r\n--XXa\r\n--XX-".to_vec()),
        (file("empty"), Vec::new()),
        (file("none"), Vec::new()),
    ];
    assert_eq!(whole(body).unwrap(), expected);
    // Byte by byte, and cut at each place.
    let bytes = body.as_bytes();
    let each: Vec<usize> = (0..bytes.len()).collect();
    assert_eq!(read(TYPE, bytes, &each).unwrap(), expected);
    for cut in each {
        assert_eq!(read(TYPE, bytes, &[cut]).unwrap(), expected, "{cut}");
    }
    assert_eq!(whole("--XX--").unwrap(), []);
    assert_eq!(whole("--XX--\r\n").unwrap(), []);
}

#[test]
fn names_of_files() {
    for (given, expected) in [
        ("filename=plain.md", "plain.md"),
        (r#"filename="a\"b\\c.md""#, r#"a"b\c.md"#),
        (r#"filename="C:\docs\x.md""#, r"C:\docs\x.md"),
        ("filename=\"100%25 %22x%22.md\"", "100%25 \"x\".md"),
        ("filename=\"../../etc/passwd\"", "../../etc/passwd"),
        ("filename=\"a\0b.md\"", "a\0b.md"),
        ("filename=\"na\u{ef}ve.md\"", "na\u{ef}ve.md"),
        ("filename=\"x.md\"; filename*=UTF-8''na%C3%AFve%20%22.md", "na\u{ef}ve \".md"),
        ("filename*=utf-8'de'%00.md", "\0.md"),
        ("filename*=iso-8859-1''na%EFve.md", "na\u{ef}ve.md"),
        ("filename=\"\"", ""),
        ("FILENAME = \"x\" ; ", "x"),
    ] {
        let body = format!("{}--XX--", part(&format!("form-data; name=file; {given}"), "a"));
        assert_eq!(whole(&body).unwrap(), [(file(expected), b"a".to_vec())], "{given}");
    }
}

#[test]
fn what_is_no_form() {
    let good = part("form-data; name=a", "b");
    for (body, said) in [
        (String::new(), "before its last boundary"),
        (good.clone(), "before its last boundary"),
        (format!("{good}--XX"), "before its last boundary"),
        (format!("{good}--XX-"), "before its last boundary"),
        (format!("{good}--XX \r"), "before its last boundary"),
        (format!("{good}--XX\rx"), "the line of a boundary"),
        (format!("{good}--XX x"), "the line of a boundary"),
        (format!("{good}--XX{}", " ".repeat(2_000)), "the line of a boundary"),
        ("no form at all".to_string(), "before its last boundary"),
        (part("form-data", "b"), "has no name"),
        (part("form-data; name=\"\"", "b"), "has no name"),
        (part("form-data; filename=\"a.md\"", "b"), "has no name"),
        (part("attachment; name=a", "b"), "no header Content-Disposition"),
        ("--XX\r\n\r\nb\r\n--XX--".to_string(), "no header Content-Disposition"),
        (part("form-data; name=a; name=b", "b"), "two parameters \"name\""),
        (part("form-data; name=a\r\nContent-Disposition: form-data; name=b", "b"), "two headers"),
        (part("form-data; name=a; filename*=UTF-8''%ff", "b"), "filename*"),
        (part("form-data; name=a; filename*=UTF-8''%f", "b"), "filename*"),
        (part("form-data; name=a; filename*=a.md", "b"), "filename*"),
        (part("form-data; name=a; filename*=UTF-7''a.md", "b"), "filename*"),
        (part("form-data; name=\"a", "b"), "cannot be read"),
        (part("form-data; name=\"a\"b", "b"), "cannot be read"),
        (part("form-data; name", "b"), "cannot be read"),
        (part("form-data; name=a\r\nno colon", "b"), "without a colon"),
        (part("form-data; name=a\r\nContent-Transfer-Encoding: base64", "b"), "transfer encoding \"base64\""),
        (part(&format!("form-data; name={}", "a".repeat(20_000)), "b"), "more than 16384 bytes"),
        (format!("--XX\r\n{}", "a".repeat(20_000)), "more than 16384 bytes"),
    ] {
        let bytes = body.as_bytes();
        let each: Vec<usize> = (0..bytes.len()).collect();
        for found in [read(TYPE, bytes, &[]), read(TYPE, bytes, &each)] {
            let wrong = found.unwrap_err();
            assert!(wrong.message.contains(said), "{body:?}: {}", wrong.message);
        }
    }
    assert!(read(TYPE, b"--XX\r\nContent-Disposition: form-data; name=\"\xff\"\r\n\r\n", &[]).is_err());
}

#[test]
fn boundaries() {
    for good in
        ["X", "\"a b\"", "----WebKitFormBoundaryX", "'()+_,-./:=?", &"a".repeat(70), "X; charset=utf-8"]
    {
        assert!(Multipart::new(&format!("Multipart/Form-Data; Boundary={good}")).is_ok(), "{good}");
    }
    for wrong in ["", "\"\"", &"a".repeat(71), "\"a \"", "a*b", "\"a\r\nb\"", "a; boundary=b", "\"a"] {
        assert!(Multipart::new(&format!("multipart/form-data; boundary={wrong}")).is_err(), "{wrong}");
    }
    assert!(Multipart::new("multipart/form-data").is_err());
    assert!(is_form("Multipart/Form-Data ; boundary=a") && !is_form("multipart/mixed; boundary=a"));
}

/// Pieces that look like boundaries, so that they meet the ends of reads.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\r\n--XX".to_vec()),
        Just(b"\r\n--X".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"--".to_vec()),
        Just(b"-".to_vec()),
        Just(b"a".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..20),
    ];
    let is_content = |content: &Vec<u8>| {
        // What is a boundary cannot be content.
        let lined = [LINE, content, LINE].concat();
        ![&b"\r\n--XX--"[..], b"\r\n--XX\r", b"\r\n--XX ", b"\r\n--XX\t"]
            .iter()
            .any(|end| memmem::find(&lined, end).is_some())
    };
    proptest::collection::vec(piece, 0..8)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("a boundary", is_content)
}

proptest! {
    #[test]
    fn any_pieces_give_the_same_parts(
        contents in proptest::collection::vec(content(), 0..5),
        (preamble, epilogue) in (content(), content()),
        ends in proptest::collection::btree_set(0_usize..600, 0..40),
    ) {
        let mut body = preamble;
        if !body.is_empty() {
            body.extend(LINE);
        }
        for (number, content) in contents.iter().enumerate() {
            body.extend(format!("--XX\r\nContent-Disposition: form-data; name=file; filename=\"{number}\"\r\n\r\n").bytes());
            body.extend(content);
            body.extend(LINE);
        }
        body.extend(b"--XX--");
        body.extend(epilogue);
        let expected: Vec<_> = contents.into_iter().enumerate().map(|(number, content)| (file(&number.to_string()), content)).collect();
        let ends: Vec<usize> = ends.into_iter().collect();
        prop_assert_eq!(read(TYPE, &body, &ends), Ok(expected));
    }

    #[test]
    fn any_bytes_are_read_the_same_in_any_pieces(
        pieces in proptest::collection::vec(prop_oneof![
            Just(b"--XX".to_vec()), Just(b"\r\n".to_vec()), Just(b"\r\n\r\n".to_vec()), Just(b"--".to_vec()),
            Just(b"Content-Disposition: form-data; name=a".to_vec()), proptest::collection::vec(any::<u8>(), 0..6),
        ], 0..20),
        ends in proptest::collection::btree_set(0_usize..200, 0..20),
    ) {
        let body = pieces.concat();
        let ends: Vec<usize> = ends.into_iter().collect();
        prop_assert_eq!(read(TYPE, &body, &ends), read(TYPE, &body, &[]));
    }
}
