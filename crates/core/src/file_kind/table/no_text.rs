//! Files that hold no text.

use crate::file_kind::kind::{Handling, Kind};

/// A ZIP archive, which DOCX, XLSX, PPTX and ODT files are too.
pub const ZIP: Kind = no_text("a ZIP archive", "apk jar war whl zip")
    .with_types("application/zip application/x-zip-compressed")
    .with_marks(&[&[(0, b"PK\x03\x04")], &[(0, b"PK\x05\x06")]]);

/// An image without a row of its own.
pub const IMAGE: Kind =
    no_text("an image", "avif bmp cr2 cur dng heic heif icns ico jp2 jxl nef psd tga xcf").with_marks(&[
        &[(0, b"BM")],
        &[(0, b"\0\0\x01\0")],
        &[(0, b"\0\0\x02\0")],
        &[(0, b"8BPS")],
        &[(0, b"gimp xcf ")],
        &[(0, b"icns")],
        &[(0, b"II\xBC")],
        &[(0, b"II*\0"), (8, b"CR\x02")],
        &[(0, b"MM\0*"), (8, b"CR\x02")],
        &[(0, b"\0\0\0\x0CjP  ")],
        &[(0, b"\0\0\0\x0CJXL ")],
        &[(0, b"\xFF\x0A")],
        &[(0, b"AC10")],
        &[(0, b"AT&TFORM"), (12, b"DJV")],
        &[(4, b"ftypavif")],
        &[(4, b"ftypavis")],
        &[(4, b"ftypheic")],
        &[(4, b"ftypheix")],
        &[(4, b"ftypmif1")],
        &[(4, b"ftypmsf1")],
        &[(128, b"DICM")],
    ]);

/// An audio file.
pub const AUDIO: Kind = no_text("an audio file", "aac aif aiff flac m4a mid mp3 oga ogg opus wav wma")
    .with_marks(&[
        &[(0, b"ID3")],
        &[(0, b"\xFF\xF1")],
        &[(0, b"\xFF\xF2")],
        &[(0, b"\xFF\xF3")],
        &[(0, b"\xFF\xF9")],
        &[(0, b"\xFF\xFB")],
        &[(0, b"FORM"), (8, b"AIFF")],
        &[(0, b"RIFF"), (8, b"WAVE")],
        &[(0, b"#!AMR\n")],
        &[(0, b"DSD ")],
        &[(0, b"MAC ")],
        &[(0, b"MThd")],
        &[(0, b"OggS")],
        &[(0, b"fLaC")],
        &[(4, b"ftypM4A")],
        &[(4, b"ftypM4B")],
    ]);

/// A video.
pub const VIDEO: Kind = no_text("a video", "avi m4v mkv mov mp4 mpeg mpg ogv webm wmv").with_marks(&[
    &[(0, b"\x1A\x45\xDF\xA3")],
    &[(0, b"\x30\x26\xB2\x75\x8E\x66\xCF\x11")],
    &[(0, b"\0\0\x01\xB3")],
    &[(0, b"\0\0\x01\xBA")],
    &[(0, b"FLV\x01")],
    &[(0, b"RIFF"), (8, b"AVI ")],
    &[(4, b"ftyp")],
    &[(4, b"mdat")],
    &[(4, b"moov")],
]);

/// A font.
pub const FONT: Kind = no_text("a font", "eot otf ttc ttf woff woff2").with_marks(&[
    &[(0, b"\0\x01\0\0\0")],
    &[(0, b"OTTO\0")],
    &[(0, b"ttcf")],
    &[(0, b"wOF2")],
    &[(0, b"wOFF")],
    &[(8, b"\x01\0\0"), (34, b"LP")],
    &[(8, b"\x02\0\x01"), (34, b"LP")],
    &[(8, b"\x02\0\x02"), (34, b"LP")],
]);

/// Bytes of which nothing else is known.
pub const BINARY: Kind =
    no_text("a binary file", "db mdb npy npz onnx parquet pdb pickle pkl rmeta safetensors swp")
        .with_marks(&[&[(0, b"\x89HDF\r\n\x1A\n")], &[(0, b"\x93NUMPY")], &[(0, b"PAR1")]]);

pub(super) const KINDS: [Kind; 19] = [
    ZIP,
    IMAGE,
    AUDIO,
    VIDEO,
    FONT,
    BINARY,
    no_text("a GIF image", "gif").with_types("image/gif").with_marks(&[&[(0, b"GIF8")]]),
    no_text("a JPEG image", "jpe jpeg jpg").with_types("image/jpeg").with_marks(&[&[(0, b"\xFF\xD8\xFF")]]),
    no_text("a PNG image", "png").with_types("image/png").with_marks(&[&[(0, b"\x89PNG")]]),
    no_text("a TIFF image", "tif tiff")
        .with_types("image/tiff")
        .with_marks(&[&[(0, b"II*\0")], &[(0, b"MM\0*")]]),
    no_text("a WebP image", "webp").with_types("image/webp").with_marks(&[&[(0, b"RIFF"), (8, b"WEBP")]]),
    no_text("a 7z archive", "7z").with_marks(&[&[(0, b"7z\xBC\xAF\x27\x1C")]]),
    no_text("a RAR archive", "rar").with_marks(&[&[(0, b"Rar!\x1A\x07")]]),
    no_text("a tar archive", "tar").with_marks(&[&[(257, b"ustar")]]),
    no_text("a gzip file", "gz tgz").with_types("application/gzip").with_marks(&[&[(0, b"\x1F\x8B\x08")]]),
    no_text("a compressed file", "bz2 lz lz4 lzma tbz txz xz zst").with_marks(&[
        &[(0, b"\x04\x22\x4D\x18")],
        &[(0, b"\x1F\x9D")],
        &[(0, b"\x1F\xA0")],
        &[(0, b"\x28\xB5\x2F\xFD")],
        &[(0, b"\xFD7zXZ\0")],
        &[(0, b"BZh")],
        &[(0, b"BZ3v1")],
        &[(0, b"LZIP")],
    ]),
    no_text("an archive", "cab cpio deb dmg iso rpm").with_marks(&[
        &[(0, b"!<arch>")],
        &[(0, b"\xED\xAB\xEE\xDB")],
        &[(0, b"\xC7\x71")],
        &[(0, b"\x71\xC7")],
        &[(0, b"070701")],
        &[(0, b"Cr24")],
        &[(0, b"ISc(")],
        &[(0, b"MSCF")],
        &[(0, b"PAR2\0PKT")],
        &[(0, b"QFI\xFB")],
        &[(32769, b"CD001")],
    ]),
    no_text("an SQLite database", "sqlite sqlite3").with_marks(&[&[(0, b"SQLite format 3\0")]]),
    no_text("a program", "class dll dylib elf exe msi pyc pyd pyo rlib so swf wasm").with_marks(&[
        &[(0, b"\0asm")],
        &[(0, b"\x4C\x01")],
        &[(0, b"\x64\x86")],
        &[(0, b"\x7FELF")],
        &[(0, b"\xCA\xFE\xBA\xBE")],
        &[(0, b"\xCE\xFA\xED\xFE")],
        &[(0, b"\xCF\xFA\xED\xFE")],
        &[(0, b"\xFE\xED\xFA\xCE")],
        &[(0, b"\xFE\xED\xFA\xCF")],
        &[(0, b"BC\xC0\xDE")],
        &[(0, b"CWS")],
        &[(0, b"FWS")],
        &[(0, b"ZWS")],
        &[(0, b"MZ")],
        &[(0, b"dex\n")],
    ]),
];

const fn no_text(name: &'static str, endings: &'static str) -> Kind {
    Kind::new(name, Handling::NoText, endings)
}
