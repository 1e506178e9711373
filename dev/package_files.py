"""Writes one small file of each kind that kb_rag reads into a directory. Each says "A file of kind NAME is here.", where NAME
is the ending of the file.

usage: python3 package_files.py DIRECTORY
"""

import pathlib
import sys
import zipfile

directory = pathlib.Path(sys.argv[1])
directory.mkdir(parents=True, exist_ok=True)


def says(kind):
    return f"A file of kind {kind} is here."


def pdf(text):
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    file, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(file))
    return file + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + trailer


def docx(path, text):
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(
            "_rels/.rels", f'<Relationships><Relationship Id="r1" Type="{office}" Target="word/document.xml"/></Relationships>'
        )
        file.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{word}"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>',
        )


for kind, content in {
    "txt": says("txt"),
    "md": f"# A title\n\n{says('md')}\n",
    "html": f"<html><body><p>{says('html')}</p></body></html>",
    "csv": f"number,text\n1,{says('csv')}\n",
    "json": f'{{"text": "{says("json")}"}}',
    "xml": f"<text>{says('xml')}</text>",
    "py": f"# {says('py')}\nprint(1)\n",
}.items():
    (directory / f"sample.{kind}").write_text(content)
(directory / "sample.pdf").write_bytes(pdf(says("pdf")))
docx(directory / "sample.docx", says("docx"))
