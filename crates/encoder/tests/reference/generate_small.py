"""Write small.json: the expected vectors of small models with made-up weights, computed independently.

The weights come from the generator of tests/tiny_model; the forward pass is that of generate.py, in float64.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6
    venv/bin/python generate_small.py > small.json
"""

import json

import numpy as np

from generate import body

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "sun", "##flower", "moon", "a", "b", "##b", "Sun"]
POSITIONS = 16

PLAIN = {"layers": 2, "hidden": 24, "intermediate": 48, "heads": 3, "pooling": "mean", "dense": None, "prompts": {}}
MODELS = {
    "twelve layers, cls pooling": {**PLAIN, "layers": 12, "pooling": "cls"},
    "dense with bias, tanh": {
        **PLAIN, "dense": {"outputs": 40, "bias": True, "activation": "activation.Tanh"}},
    "dense without bias, identity": {
        **PLAIN, "hidden": 8, "intermediate": 16, "heads": 2,
        "dense": {"outputs": 16, "bias": False, "activation": "linear.Identity"}},
    "fewer dimensions": {
        **PLAIN, "pooling": "cls", "dense": {"outputs": 5, "bias": True, "activation": "linear.Identity"}},
    "prefixes": {**PLAIN, "prompts": {"query": "a moon ", "passage": "b ", "other": "sun "}},
}
TEXTS = ["", "sun", "sunflower moon a b", "moon ab unknown sunflower", "a " * 40]


class Numbers:
    """The linear congruential generator of tests/tiny_model."""

    def __init__(self, seed):
        self.seed = seed

    def tensor(self, shape, start=0.0):
        values = np.empty(int(np.prod(shape)), dtype=np.float32)
        for index in range(len(values)):
            self.seed = (self.seed * 1664525 + 1013904223) % 2**32
            values[index] = np.float32((self.seed >> 8) / 2**24 - 0.5) + np.float32(start)
        return values.astype(np.float64).reshape(shape)


def made_up(model):
    hidden, intermediate = model["hidden"], model["intermediate"]
    numbers = Numbers(1)
    weights = {}
    for table, rows in [("word", len(WORDS)), ("position", POSITIONS), ("token_type", 2)]:
        weights[f"embeddings.{table}_embeddings.weight"] = numbers.tensor((rows, hidden))
    for layer in range(model["layers"]):
        for name, outputs, inputs in [
            ("attention.self.query", hidden, hidden),
            ("attention.self.key", hidden, hidden),
            ("attention.self.value", hidden, hidden),
            ("attention.output.dense", hidden, hidden),
            ("intermediate.dense", intermediate, hidden),
            ("output.dense", hidden, intermediate),
        ]:
            weights[f"encoder.layer.{layer}.{name}.weight"] = numbers.tensor((outputs, inputs))
            weights[f"encoder.layer.{layer}.{name}.bias"] = numbers.tensor((outputs,))
    places = ["embeddings"]
    for layer in range(model["layers"]):
        places += [f"encoder.layer.{layer}.attention.output", f"encoder.layer.{layer}.output"]
    for place in places:
        weights[f"{place}.LayerNorm.weight"] = numbers.tensor((hidden,), start=1.0)
        weights[f"{place}.LayerNorm.bias"] = numbers.tensor((hidden,))
    return weights


def tokens(text):
    """WordPiece over words of lower case letters; at most as many tokens as positions."""
    ids = [WORDS.index("[CLS]")]
    for word in text.split():
        pieces, start = [], 0
        while start < len(word):
            mark = "##" if start else ""
            end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in WORDS), None)
            if end is None:
                pieces = ["[UNK]"]
                break
            pieces.append(mark + word[start:end])
            start = end
        ids += [WORDS.index(piece) for piece in pieces]
    return ids[: POSITIONS - 1] + [WORDS.index("[SEP]")]


def encode(text, model, weights):
    config = {"num_attention_heads": model["heads"], "hidden_size": model["hidden"],
              "num_hidden_layers": model["layers"], "layer_norm_eps": 1e-12}
    states = body(tokens(text), config, weights)
    vector = states[0] if model["pooling"] == "cls" else states.mean(axis=0)
    dense = model["dense"]
    if dense:
        numbers = Numbers(2)
        vector = numbers.tensor((dense["outputs"], model["hidden"])) @ vector
        if dense["bias"]:
            vector = vector + numbers.tensor((dense["outputs"],))
        if dense["activation"] == "activation.Tanh":
            vector = np.tanh(vector)
    return vector / np.linalg.norm(vector)


def main():
    lines = []
    for name, model in MODELS.items():
        weights = made_up(model)
        cases = []
        for text in TEXTS:
            vectors = {}
            for kind, prompt in [("query", "query"), ("document", "passage")]:
                prefix = model["prompts"].get(prompt, "")
                vectors[kind] = [float(f"{value:.8g}") for value in encode(prefix + text, model, weights)]
            cases.append({"text": text, **vectors})
        lines.append(json.dumps({"name": name, **model, "cases": cases}, separators=(",", ":")))
    print("[\n" + ",\n".join(lines) + "\n]")


if __name__ == "__main__":
    main()
