"""Writes a judged set in BEIR's layout of invented annual reports, each of text and a table: 240 reports of 40 companies. A question
asks for a figure of a company in a year, often in another word than that of the table; the report of the year answers it. Reports
differ in names and numbers only, which embedding models hardly tell apart. Seeded: the set is always the same.

usage: reports.py DIRECTORY
"""

import json
import pathlib
import random
import sys

NAMES = (
    "Alder Birch Cobalt Delta Ember Falcon Granite Harbor Indigo Juniper Kestrel Lumen Meridian Northgate "
    "Orchard Pinnacle Quarry Ridgeway Sable Tamarack Umber Vantage Willow Yarrow Zephyr Ashford Brookline "
    "Carrick Dunmore Eastlake"
).split()
TRADES = (
    "Foods Logistics Energy Software Instruments Textiles Pharma Mining Airlines Insurance Motors Paper"
).split()
PLACES = ["Iberia", "Scandinavia", "the Benelux", "the Midwest", "Quebec", "Anatolia", "Bavaria", "Wales", "Hokkaido", "Patagonia"]
# The rows of a table, with what people call them.
ROWS = {
    "Revenue": ["revenue", "sales", "turnover"],
    "Cost of sales": ["cost of sales", "cost of goods sold"],
    "Gross profit": ["gross profit"],
    "Research and development": ["research and development expense", "spending on R&D"],
    "Selling, general and administrative": ["selling and administrative costs", "overhead"],
    "Operating income": ["operating income", "operating profit", "EBIT"],
    "Interest expense": ["interest expense", "cost of borrowing"],
    "Income taxes": ["income taxes", "tax charge"],
    "Net income": ["net income", "profit after tax", "bottom line"],
    "Earnings per share, diluted": ["diluted earnings per share", "EPS"],
    "Capital expenditure": ["capital expenditure", "capex", "investment in plant and equipment"],
    "Free cash flow": ["free cash flow"],
    "Net debt": ["net debt", "borrowings less cash"],
    "Dividend per share": ["dividend per share", "payout to each share"],
    "Employees at year end": ["number of employees", "headcount"],
}
SENTENCES = [
    "Demand in {place} was {pace} than a year before, and prices followed with a delay of two quarters.",
    "Management expects volumes to {turn} in the coming year; the order book covers {number} months of production.",
    "The plant in {place} was closed for {number} weeks after a fire, and its work was moved to other sites.",
    "A currency hedge covered {number} tenths of foreign receipts.",
    "The board proposes to renew the authority to buy back shares.",
    "The auditor drew attention to the valuation of goodwill from the purchase in {place}.",
    "Wages rose after the agreement with the union in {place}.",
    "A claim of former distributors in {place} was settled out of court.",
    "The pension plan was closed to new members.",
    "Inventories were reduced by {number} per cent to free cash.",
]
QUESTIONS = [
    "What was the {figure} of {company} in {year}?",
    "{company} {figure} {year}",
    "How much {figure} did {company} report for {year}?",
    "By how much did the {figure} of {company} change from {before} to {year}?",
    "{figure} at {company}, year {year}",
]
YEARS = range(2016, 2022)


def sentences(source, count):
    chosen = source.sample(SENTENCES, count)
    return " ".join(
        sentence.format(
            place=source.choice(PLACES),
            pace=source.choice(["weaker", "stronger"]),
            turn=source.choice(["rise", "fall"]),
            number=source.randint(2, 9),
        )
        for sentence in chosen
    )


def report(source, company, year, figures):
    rows = "".join(f"| {row} | {now} | {before} |\n" for row, (now, before) in figures.items())
    return (
        f"# {company}: annual report {year}\n\n{sentences(source, 5)}\n\n"
        f"Amounts in millions, years ended 31 December.\n\n| | {year} | {year - 1} |\n| --- | --- | --- |\n{rows}\n"
        f"{sentences(source, 3)}\n"
    )


def reports(source):
    """(company, year, text) of each report."""
    companies = [f"{name} {source.choice(TRADES)}" for name in source.sample(NAMES, 20) + source.sample(NAMES, 20)]
    for company in dict.fromkeys(companies):
        before = {row: round(source.uniform(40, 900), 1) for row in ROWS}
        for year in YEARS:
            now = {row: round(value * source.uniform(0.9, 1.15), 1) for row, value in before.items()}
            figures = {row: (now[row], before[row]) for row in ROWS}
            yield company, year, report(source, company, year, figures)
            before = now


def main():
    source = random.Random(38)
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    identifier = lambda company, year: f"{company} {year}".replace(" ", "-")
    written = list(reports(source))
    with open(directory / "corpus.jsonl", "w", encoding="utf-8") as corpus:
        for company, year, text in written:
            corpus.write(json.dumps({"id": identifier(company, year), "title": "", "text": text}) + "\n")
    with (
        open(directory / "queries.jsonl", "w", encoding="utf-8") as queries,
        open(directory / "qrels.tsv", "w", encoding="utf-8") as judgments,
    ):
        judgments.write("qid\tdocid\trel\n")
        for number in range(1, 201):
            company, year, _ = source.choice(written)
            figure = source.choice(ROWS[source.choice(list(ROWS))])
            text = source.choice(QUESTIONS).format(figure=figure, company=company, year=year, before=year - 1)
            queries.write(json.dumps({"id": str(number), "text": text}) + "\n")
            judgments.write(f"{number}\t{identifier(company, year)}\t1\n")


main()
