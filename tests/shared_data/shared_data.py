#!/usr/bin/env python3
"""Real files through the API and back, byte for byte. Reads ../shared/eval beside the checkout.

usage: shared_data.py PERDURE EVAL_DIR
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support" / "python"))
from served import Client, Server  # noqa: E402


def first_bad_byte(data):
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None


def store(client, text, **arguments):
    status, answer = client.call("POST", "/api/v1/memories", {"text": text, **arguments})
    if status != 200:
        sys.exit(f"a store was refused: {status} {answer}")
    return answer["id"]


def text_of(client, identity):
    """The whole text, piece by piece where an answer gives only a part."""
    text, offset = "", 0
    while True:
        status, answer = client.call("GET", f"/api/v1/memories/{identity}?offset={offset}")
        if status != 200:
            sys.exit(f"memory {identity} cannot be read from {offset}: {answer}")
        text += answer["memories"][0]["text"]
        if "next_offset" not in answer["memories"][0]:
            return text
        offset = answer["memories"][0]["next_offset"]


def memory_files(program, data, client, folder):
    """Each file byte for byte; what is not UTF-8 is refused by its offset."""
    stored, refused = {}, 0
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        bad = first_bad_byte(content)
        if not content:
            status, answer = client.call("POST", "/api/v1/memories", {"text": ""})
            if status != 400 or answer["error"]["field"] != "text":
                sys.exit(f"{path.name}: an empty text is not refused by name: {answer}")
            refused += 1
        elif bad is None:
            stored[store(client, content.decode(), title=path.name)] = content
        else:
            refuse_by_offset(program, data, path, bad)
            refused += 1
    for identity, content in stored.items():
        if text_of(client, identity).encode() != content:
            sys.exit(f"memory {identity} did not come back byte for byte")
    return len(stored), refused


def refuse_by_offset(program, data, path, bad):
    done = subprocess.run([program, "memory", "store", "--data", data, "--file", str(path)],
                          capture_output=True, text=True)
    if done.returncode == 0 or f"offset {bad}" not in done.stdout + done.stderr:
        sys.exit(f"{path.name}: not refused at offset {bad}: {done.stderr}")


def messages(client, corpus):
    """A conversation: several messages share a timestamp, so the position tells them apart."""
    stored = {}
    for position, line in enumerate(corpus.read_text().splitlines()):
        item = json.loads(line)
        identity = store(client, item["text"], kind="episode", conversation="hermes",
                         position=position, speaker=item.get("speaker") or "unknown")
        if identity in stored:
            sys.exit(f"message {position} was taken for another one")
        stored[identity] = item["text"]
    for identity, text in stored.items():
        if text_of(client, identity) != text:
            sys.exit(f"message {identity} did not come back")
    return len(stored)


def found(client, text, identity):
    """Whether a phrase from the text's last line finds the memory."""
    words = [line for line in text.splitlines() if len(line.split()) >= 4][-1].split()[:8]
    status, answer = client.call("POST", "/api/v1/search", {"query": " ".join(words), "limit": 20})
    return status == 200 and any(hit["id"] == identity for hit in answer["results"])


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "open"
    with tempfile.TemporaryDirectory() as work:
        data = str(pathlib.Path(work, "data"))
        subprocess.run([program, "init", "--data", data], check=True, stdout=subprocess.DEVNULL)
        server = Server(program, data)
        try:
            client = Client(server)
            files, refused = memory_files(program, data, client, folder / "memory_files" / "files")
            said = messages(client, folder / "hermes_agent_session" / "corpus.jsonl")
            paths = [p for p in sorted((folder / "memory_files" / "files").iterdir())
                     if p.read_bytes() and first_bad_byte(p.read_bytes()) is None]
            for path in paths[:5]:
                text = path.read_text()
                identity = store(client, path.read_bytes().decode(), title=path.name)
                if not found(client, text, identity):
                    sys.exit(f"{path.name} is not found by its last line")
        finally:
            server.kill()
    print(f"{files} files and {said} messages byte for byte, {refused} refused with the reason")


if __name__ == "__main__":
    main()
