"""Write vectors.json: the expected vectors of all-MiniLM-L6-v2, computed independently of this crate.

Token ids come from Hugging Face's own tokenizer, vectors from a plain float64 forward pass below.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 tokenizers==0.23.3
    venv/bin/python generate.py MODEL_DIRECTORY > vectors.json

Made with Python 3.11. MODEL_DIRECTORY holds config.json, model.safetensors and tokenizer.json.
"""

import json
import math
import struct
import sys

import numpy as np

MAX_TOKENS = 256

# (text, repetitions)
TEXTS = [
    ("How do I reset my password?", 1),
    ("PostgreSQL is a powerful, open source object-relational database system with over 35 years of active "
     "development that has earned it a strong reputation for reliability, feature robustness, and performance.", 1),
    ("Le café était fermé; naïve façade, Ångström, coöperate, señor.", 1),
    ("Cafe\u0301 de\u0301compose\u0301 e\u0301crit en NFD", 1),
    ("Die Straßenverkehrsordnung verbietet das Überholen auf der Autobahn GRÖSSENWAHN nicht.", 1),
    ("数据库管理系统是一种操纵和管理数据库的大型软件。", 1),
    ("東京は日本の首都です。カタカナとひらがな、ガギグゲゴ。", 1),
    ("한국어 문장도 분해되어야 합니다.", 1),
    ("قواعد البيانات مهمة جدًا في التطبيقات الحديثة؟", 1),
    ("हिन्दी में एक छोटा सा वाक्य।", 1),
    ("Привет, мир! ЁЖИК", 1),
    ("ΟΔΥΣΣΕΥΣ και Σίσυφος, İstanbul ılık", 1),
    ("Great job 👍🏽🎉 family 👨‍👩‍👧‍👦 flag 🇩🇪 ☃️", 1),
    ("fn main() { let x: Vec<u8> = vec![0; 10]; println!(\"{:?}\", &x[..]); } // TODO", 1),
    ("https://example.org/path/to/page.html?q=hybrid+search&lang=en#section-2", 1),
    ("", 1),
    (" \t\r\n\u00a0\u3000 ", 1),
    ("!?.,;:—–…«»„“”‘’()[]{}<>|\\/@#$%^&*_+=~`€£¥§¶", 1),
    ("3.14159 -42 1,000,000 0xDEADBEEF 2024-02-29T23:59:59Z v1.2.3 ½ ² ①", 1),
    ("zero\u200bwidth soft\u00adhyphen nul\u0000 replacement\ufffd bell\u0007 bom\ufeff", 1),
    ("[CLS] injected [SEP] [MASK] [PAD] [UNK] ##ing", 1),
    ("Reciprocal rank fusion adds the inverse ranks of every list; ünïcödé too. ", 120),
    ("pneumonoultramicroscopicsilicovolcanoconiosis", 1),
    ("a", 5000),
    ("word " + "x" * 100 + " " + "y" * 101 + " tail", 1),
    ("ﬁnancial ｆｕｌｌｗｉｄｔｈ Ⅷ ™ 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠀀𠀁", 1),
]


def read_safetensors(path):
    data = open(path, "rb").read()
    (size,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, info in json.loads(data[8 : 8 + size]).items():
        if name == "__metadata__" or info["dtype"] != "F32":
            continue
        start, end = info["data_offsets"]
        values = np.frombuffer(data[8 + size + start : 8 + size + end], dtype="<f4")
        tensors[name] = values.astype(np.float64).reshape(info["shape"])
    return tensors


ERF = np.frompyfunc(math.erf, 1, 1)


def gelu(x):
    return 0.5 * x * (1.0 + ERF(x / math.sqrt(2.0)).astype(np.float64))


def body(ids, config, weights):
    """The last layer's vectors of the tokens, one a row."""
    heads = config["num_attention_heads"]
    size = config["hidden_size"] // heads

    def linear(x, name):
        return x @ weights[name + ".weight"].T + weights[name + ".bias"]

    def layer_norm(x, name):
        centered = x - x.mean(axis=1, keepdims=True)
        deviation = np.sqrt((centered**2).mean(axis=1, keepdims=True) + config["layer_norm_eps"])
        return centered / deviation * weights[name + ".weight"] + weights[name + ".bias"]

    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    x = layer_norm(x, "embeddings.LayerNorm")
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}."
        query = linear(x, layer + "attention.self.query")
        key = linear(x, layer + "attention.self.key")
        value = linear(x, layer + "attention.self.value")
        context = np.empty_like(x)
        for head in range(heads):
            columns = slice(head * size, (head + 1) * size)
            scores = query[:, columns] @ key[:, columns].T / math.sqrt(size)
            weight = np.exp(scores - scores.max(axis=1, keepdims=True))
            context[:, columns] = weight / weight.sum(axis=1, keepdims=True) @ value[:, columns]
        x = layer_norm(x + linear(context, layer + "attention.output.dense"),
                       layer + "attention.output.LayerNorm")
        between = gelu(linear(x, layer + "intermediate.dense"))
        x = layer_norm(x + linear(between, layer + "output.dense"), layer + "output.LayerNorm")
    return x


def main():
    # The made-up models of generate_small.py do without it.
    from tokenizers import Tokenizer

    directory = sys.argv[1]
    config = json.load(open(directory + "/config.json"))
    weights = read_safetensors(directory + "/model.safetensors")
    tokenizer = Tokenizer.from_file(directory + "/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.no_truncation()
    # "[CLS]" in a user's text is text, not a special token.
    tokenizer.encode_special_tokens = True
    print("[")
    for number, (text, repeat) in enumerate(TEXTS):
        ids = tokenizer.encode(text * repeat).ids
        kept = ids if len(ids) <= MAX_TOKENS else ids[: MAX_TOKENS - 1] + ids[-1:]
        pooled = body(kept, config, weights).mean(axis=0)
        vector = pooled / np.linalg.norm(pooled)
        case = {
            "text": text,
            "repeat": repeat,
            "count": len(ids),
            "ids": kept,
            "vector": [float(f"{value:.8g}") for value in vector],
        }
        print(json.dumps(case, separators=(",", ":")) + ("," if number + 1 < len(TEXTS) else ""))
    print("]")


if __name__ == "__main__":
    main()
