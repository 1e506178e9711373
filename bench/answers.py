"""How often kb_context says nothing about a question that a base answers, and something about one that it does not.

The questions of each judged set are asked over its own documents and over those of the other sets.

usage: answers.py SET… [--model MODEL] [--documents N] [--questions N] [--max-missed PERCENT] [--max-wrong PERCENT]
                  [--output DIRECTORY] -- PSQL [psql options]

Documents are indexed whole; of a larger set the judged ones, filled up with others to --documents. At most --questions of each set
are asked. Prints a table, and exits with 1 if the mean of the sets is above a bar:

--max-missed  own questions without an answer
--max-wrong   questions of other sets with one

Questions of one set over another language of it have answers there: such sets are not asked of each other.
"""

import argparse
import pathlib
import subprocess
import sys

import judged
from bars import Bars
from database import Database, literal

CONFIGURATIONS = {"de": "german", "ru": "russian", "zh": "simple"}
SMALL_TALK = [
    "Hello, how are you today?", "Thanks a lot for your help!", "Good morning", "Can you help me please?",
    "What's the weather like?", "Tell me a joke", "Who are you?", "I am bored", "What can you do for me?",
    "Nice to meet you", "How was your weekend?", "That sounds great, thank you", "I don't understand",
    "Are you a robot or a human?", "See you later", "What time is it now?", "Could you repeat that, please?",
    "You are wrong about this", "I would like to speak to a person", "Have a nice day and take care",
]


def parsed(arguments):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("sets", type=pathlib.Path, nargs="+")
    parser.add_argument("--model", default="local/all-minilm-l6-v2")
    parser.add_argument("--documents", type=int, default=1500)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--max-missed", type=float)
    parser.add_argument("--max-wrong", type=float)
    parser.add_argument("--output", type=pathlib.Path)
    return parser.parse_args(arguments)


def family(directory):
    """The set, of which a directory may be one language."""
    return directory.parent.name if len(directory.name) == 2 else directory.name


def answered(database, base, questions):
    """How many of the questions get a passage, in percent."""
    rows = ",\n".join(f"({literal(question)})" for question in questions)
    found = database.run(
        "SET client_min_messages = error;\n"
        f"SELECT count(*) FILTER (WHERE kb_context(q, {literal(base)}, 1) IS NOT NULL) FROM (VALUES {rows}) v (q);\n"
    )
    return 100 * int(found) / len(questions)


def named(directory):
    return family(directory) if family(directory) == directory.name else f"{family(directory)}, {directory.name}"


def measured(database, options, directory, sets):
    """The three figures of a set."""
    documents, queries, _ = sets[directory]
    base = f"answers of {named(directory)}"
    database.index(base, documents, options.model, "none", CONFIGURATIONS.get(directory.name, "english"))
    others = [
        question
        for other, (_, asked, _) in sets.items()
        if family(other) != family(directory)
        for question in list(asked.values())[: options.questions]
    ]
    figures = [
        100 - answered(database, base, list(queries.values())[: options.questions]),
        answered(database, base, others),
        answered(database, base, SMALL_TALK),
    ]
    database.drop(base)
    return figures


def main():
    split = sys.argv.index("--")
    options, database = parsed(sys.argv[1:split]), Database(sys.argv[split + 1 :])
    sets = {}
    for directory in options.sets:
        documents, queries, judgments = judged.read_set(directory)
        sets[directory] = judged.subset(documents, queries, judgments, len(judgments), options.documents)
    if len({family(directory) for directory in sets}) < 2:
        sys.exit("error: questions of other sets need sets on two subjects")
    try:
        figures = {named(directory): measured(database, options, directory, sets) for directory in sets}
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: {error.stderr.strip()}")
    except RuntimeError as error:
        sys.exit(f"error: {error}")
    mean = [sum(column) / len(column) for column in zip(*figures.values())]
    model = options.model.split("/")[-1]
    rows = [[name, *(f"{percent:.1f} %" for percent in row)] for name, row in [*figures.items(), ("mean", mean)]]
    header = ["set", "own questions without an answer", "questions of other sets with one", "small talk with one"]
    lines = ["", f"### Questions with and without an answer: {model}", ""]
    lines += ["| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]]
    bars = Bars(f"answers, {model}")
    if options.max_missed is not None:
        bars.most_percent("own questions without an answer", mean[0], options.max_missed)
    if options.max_wrong is not None:
        bars.most_percent("questions of other sets with an answer", mean[1], options.max_wrong)
    print("\n".join(lines), flush=True)
    if options.output:
        for file, text in ((f"1-answers-{model}.md", lines), ("targets.md", bars.rows)):
            with open(options.output / file, "a", encoding="utf-8") as output:
                output.writelines(line + "\n" for line in text)
    if bars.missed:
        sys.exit("error: " + "; ".join(bars.missed))


main()
