"""Loads chapters of the PostgreSQL manual into the knowledge base "manual", one document per page.

usage: demo_corpus.py PACKAGE PSQL [psql options]

PACKAGE is Debian's postgresql-doc-15. Prints one progress line. Pages that have not changed are not embedded again, so a second
run takes no time.
"""

import io
import lzma
import os
import queue
import re
import subprocess
import sys
import tarfile
import threading
from html.parser import HTMLParser

# Most questions are about these: the tutorial, tables, changing and querying data, indexes, concurrency, performance,
# logins, roles, maintenance and backup. Embedding them takes about a minute on one core; the whole manual has twelve times
# as much text.
CHAPTERS = {1, 2, 3, 5, 6, 7, 11, 13, 14, 21, 22, 25, 26}
# A page with less is a table of contents.
MIN_CHARACTERS_A_PAGE = 300
PAGES = "./usr/share/doc/postgresql-doc-15/html/"
URL = "https://www.postgresql.org/docs/15/"

SKIPPED = {"navheader", "navfooter", "toc"}
# Boxes whose headings are no headings of the page.
BOXES = {"note", "tip", "caution", "warning", "important"}
BLOCKS = {"p", "div", "ul", "ol", "dl", "dd", "table", "blockquote"}


def joined(text):
    return " ".join(text.split())


class Markdown(HTMLParser):
    """The text of a page as Markdown: headings, paragraphs, lists, code and tables, without navigation."""

    def __init__(self):
        super().__init__()
        self.title = ""
        self.chapter = ""
        self.blocks = []
        self.text = ""
        self.divisions = []
        self.into = None
        self.prefix = ""
        self.code = 0
        self.row = None
        self.rows = None

    def skips(self):
        return any(kind in SKIPPED for kind in self.divisions)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "div":
            self.end_block()
            self.divisions.append(attributes.get("class", ""))
        if tag == "title" or (tag == "th" and attributes.get("width") == "60%"):
            self.into = "title" if tag == "title" else "chapter"
        if self.skips() or self.into:
            return
        if tag == "pre":
            self.end_block()
            self.into = "pre"
        elif tag == "table":
            self.end_block()
            self.rows = []
        elif tag == "tr":
            self.row = []
        elif tag in ("td", "th"):
            self.text = ""
        elif tag == "br":
            self.text += " "
        elif tag == "code":
            self.code += 1
            self.text += "`" if self.code == 1 else ""
        elif self.rows is None and (tag in BLOCKS or re.fullmatch("h[1-6]|li|dt", tag)):
            self.end_block()
            if tag == "li":
                self.prefix = "- "
            elif tag == "dt" or (tag[0] == "h" and self.divisions and self.divisions[-1] in BOXES):
                self.prefix = "**"
            elif tag[0] == "h":
                self.prefix = "#" * int(tag[1]) + " "

    def handle_endtag(self, tag):
        if tag == "div":
            self.end_block()
            self.divisions.pop()
        if self.into:
            if tag == "pre":
                self.blocks.append("```\n" + self.text.strip("\n") + "\n```")
                self.text, self.into = "", None
            elif tag in ("title", "th"):
                self.title, self.chapter, self.into = joined(self.title), joined(self.chapter), None
            return
        if self.skips():
            return
        if tag == "code":
            self.code -= 1
            self.text += "`" if self.code == 0 else ""
        elif tag in ("td", "th") and self.row is not None:
            self.row.append(joined(self.text).replace("|", "\\|"))
            self.text = ""
        elif tag == "tr" and self.rows is not None:
            self.rows.append(self.row)
        elif tag == "table":
            self.end_table()
        elif self.rows is None and (tag in BLOCKS or re.fullmatch("h[1-6]|li|dt", tag)):
            self.end_block()

    def handle_data(self, data):
        if self.into == "title":
            self.title += data
        elif self.into == "chapter":
            self.chapter += data
        elif not self.skips():
            self.text += data

    def end_block(self):
        """Ends a paragraph, heading or item. In a table nothing ends but cells."""
        if self.rows is not None or self.into == "pre":
            return
        text = joined(self.text)
        self.text = ""
        if text:
            self.blocks.append(self.prefix + text + ("**" if self.prefix == "**" else ""))
            self.prefix = ""

    def end_table(self):
        rows = [row for row in self.rows if row]
        self.rows = self.row = None
        if rows:
            lines = ["| " + " | ".join(row) + " |" for row in rows]
            self.blocks.append("\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]]))

    def content(self):
        """Without the title at the beginning, which the document has."""
        blocks = self.blocks
        if blocks and blocks[0].startswith("#") and blocks[0].lstrip("# ") == self.title:
            blocks = blocks[1:]
        return "\n\n".join(blocks)


def members(package):
    """Yields (path, bytes) of the files in a package of Debian, which is an archive of ar with one of tar."""
    with open(package, "rb") as file:
        if file.read(8) != b"!<arch>\n":
            sys.exit(f"error: {package} is no package of Debian")
        while header := file.read(60):
            name, size = header[:16].decode().strip().rstrip("/"), int(header[48:58])
            content = file.read(size + size % 2)[:size]
            if name == "data.tar.xz":
                with tarfile.open(fileobj=io.BytesIO(lzma.decompress(content))) as archive:
                    for member in archive:
                        if member.isfile():
                            yield member.name, archive.extractfile(member).read()


def numbers(title):
    """Orders sections as the manual does."""
    return [int(number) for number in re.findall(r"\d+", title.split(" ", 1)[0])]


def pages(package):
    """Returns (name of the file, title, chapter, Markdown) of the chosen chapters, in their order."""
    found = []
    for path, content in members(package):
        if not path.startswith(PAGES) or not path.endswith(".html"):
            continue
        text = content.decode()
        # Parsing all pages takes seconds.
        of = re.search(r'<th width="60%" align="center">Chapter\s(\d+)\.', text)
        if not of or int(of.group(1)) not in CHAPTERS:
            continue
        page = Markdown()
        page.feed(text)
        page.close()
        if len(page.content()) >= MIN_CHARACTERS_A_PAGE:
            found.append((numbers(page.title), path.removeprefix(PAGES), page.title, page.chapter, page.content()))
    return [page[1:] for page in sorted(found)]


def literal(text):
    return "'" + text.replace("'", "''") + "'"


class Writers:
    """Two sessions, as long as there are pages: each embeds on one core."""

    def __init__(self, psql, documents):
        self.psql = psql
        self.waiting = queue.SimpleQueue()
        for document in documents:
            self.waiting.put(document)
        self.count = len(documents)
        self.lock = threading.Lock()
        self.done = 0
        self.chunks = 0
        self.failed = None

    def write(self):
        psql = subprocess.Popen(self.psql, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        while not self.failed:
            try:
                name, title, chapter, text = self.waiting.get_nowait()
            except queue.Empty:
                break
            metadata = f"jsonb_build_object('chapter', {literal(chapter)}, 'url', {literal(URL + name)})"
            psql.stdin.write(
                f"SELECT kb_add('manual', {literal(text)}, title => {literal(title)}, source_key => {literal(name)}, "
                f"mime_type => 'text/markdown', metadata => {metadata}) AS id \\gset\n"
                "SELECT count(*) FROM kb_manual.chunk WHERE document_id = :'id';\n"
            )
            psql.stdin.flush()
            answer = psql.stdout.readline().strip()
            with self.lock:
                if answer.isdigit():
                    self.progress(int(answer))
                else:
                    self.failed = name
        psql.stdin.close()
        psql.wait()

    def progress(self, chunks):
        """On a terminal, one line that is updated; in a log, a line now and then."""
        self.done += 1
        self.chunks += chunks
        if not sys.stderr.isatty() and self.done % 25 and self.done != self.count:
            return
        end = "\r" if sys.stderr.isatty() and self.done != self.count else "\n"
        print(f"   {self.done} of {self.count} pages, {self.chunks} chunks", end=end, file=sys.stderr, flush=True)


def main():
    documents = pages(sys.argv[1])
    if len(documents) < 50:
        sys.exit(f"error: only {len(documents)} pages found in {sys.argv[1]}")
    writers = Writers(sys.argv[2:], documents)
    threads = [threading.Thread(target=writers.write) for _ in range(min(2, os.cpu_count() or 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if writers.failed:
        sys.exit(f"error: {writers.failed} was not indexed")


if __name__ == "__main__":
    main()
