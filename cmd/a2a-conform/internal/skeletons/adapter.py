#!/usr/bin/env python3
"""An adapter for a2a-conform: it does with a client what the suite asks for, and prints as JSON what the client saw.

The client here is a few lines of JSON-RPC by the standard library: put calls of your own client in its place.
docs/adapters.md of a2a-conform describes the commands and the lines. Start: a2a-conform client -- python3 adapter.py
"""
import json, os, sys, time, urllib.error, urllib.request, uuid

OLD = {"SendMessage": "message/send", "SendStreamingMessage": "message/stream", "GetTask": "tasks/get", "CancelTask": "tasks/cancel",
       "SubscribeToTask": "tasks/resubscribe", "GetExtendedAgentCard": "agent/getAuthenticatedExtendedCard"}
KINDS = {"task": "task", "message": "message", "statusUpdate": "status-update", "artifactUpdate": "artifact-update"}


class Refused(Exception):
    """The agent answered by an error."""


class Adapter:
    def __init__(self, context):
        self.context, self.old = context, context["dialect"] == "a2a-0.3"  # methods, states and parts of 0.3 are written in another way
        self.card, self.task, self.group, self.state, self.whole, self.failed = None, "", "", "", {}, False

    def say(self, **line):
        if os.environ.get("A2A_CONFORM_KEEP"):
            line["scenario"] = self.context["scenario"]
        print(json.dumps(line), flush=True)

    def use_card(self, card):
        self.card, entries = card, card.get("supportedInterfaces", [])
        if self.old:
            entries = [{"url": card.get("url"), "transport": card.get("preferredTransport", "JSONRPC")}] + card.get("additionalInterfaces", [])
        self.face = next(e for e in entries if e.get("protocolBinding", e.get("transport")) == "JSONRPC" and (self.old or e["protocolVersion"].startswith("1.0")))
        self.say(saw="card", name=card.get("name"))

    def call(self, method, **params):
        """Yields what answers a call: one result, or one for each event of a stream."""
        if self.face.get("tenant"):
            params["tenant"] = self.face["tenant"]
        call = {"jsonrpc": "2.0", "id": str(uuid.uuid4()), "method": OLD[method] if self.old else method, "params": params}
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"} | ({} if self.old else {"A2A-Version": "1.0"})
        try:
            answer = urllib.request.urlopen(urllib.request.Request(self.face["url"], json.dumps(call).encode(), headers), timeout=20)
        except urllib.error.HTTPError as e:
            answer = e  # whose body may tell more
        with answer:
            if answer.headers.get_content_type() != "text/event-stream":
                yield self.result(call, json.load(answer))
                return
            data = []
            try:
                for line in answer:
                    field, _, value = line.decode().rstrip("\r\n").partition(":")
                    if field == "data":
                        data.append(value.removeprefix(" "))
                    elif not field and not value and data:
                        text, data = "\n".join(data), []
                        yield self.result(call, json.loads(text))
            finally:
                self.say(saw="end", of="stream")

    def result(self, call, answer):
        if answer.get("error"):
            raise Refused(answer["error"])
        if answer.get("id") != call["id"] or not isinstance(answer.get("result"), dict):
            raise ValueError("that is no answer to the call")
        return answer["result"]

    def see(self, result):
        """Reports a task, a message or an event."""
        kind = next((k for k, old in KINDS.items() if k in result or result.get("kind") == old), "task" if "id" in result else None)
        thing = result.get(kind, result) if not self.old else result
        if kind == "task":
            self.task, self.group, self.whole = thing["id"], thing.get("contextId", ""), {}
            self.say(saw="task", id=self.task, context=self.group, state=thing["status"]["state"], history=len(thing.get("history", [])))
            for artifact in thing.get("artifacts", []):
                self.see_artifact(artifact, False)
        if kind in ("task", "statusUpdate"):
            self.state = thing["status"]["state"]
            words = thing["status"].get("message", {})
            self.say(saw="status", state=self.state, text=self.text(words), role=words.get("role"))
        elif kind == "artifactUpdate":
            self.see_artifact(thing["artifact"], thing.get("append", False))
        elif kind == "message":
            self.group, self.state = thing.get("contextId", ""), "message"
            self.say(saw="message", id=thing["messageId"], text=self.text(thing, True), role=thing.get("role"))

    def see_artifact(self, artifact, append):
        name, text = artifact["artifactId"], self.text(artifact, True)
        self.whole[name] = self.whole.get(name, "") + text if append else text
        self.say(saw="artifact", id=name, text=text)

    def text(self, holder, parts=False):
        texts = []
        for part in holder.get("parts", []):
            texts.append(part.get("text") or "")
            has = part | part.get("file", {})
            kinds = {"text": "text", "raw": "file", "bytes": "file", "url": "url", "uri": "url", "data": "data"}
            for member in kinds.keys() & has.keys() if parts else ():
                self.say(saw="part", kind=kinds[member])
        return "\n".join(texts)

    def plain_state(self):
        return self.state.removeprefix("TASK_STATE_").replace("_", "-").lower()

    def send(self, command, method):
        last, wait = command.get("task") == "last", command.get("wait", True)
        message = {"messageId": str(uuid.uuid4()), "role": "user" if self.old else "ROLE_USER", "parts": [{"text": command["text"]}]}
        if self.old:
            message |= {"kind": "message", "parts": [{"kind": "text", "text": command["text"]}]}
        if last and self.group:
            message["contextId"] = self.group
        if last and self.plain_state() == "input-required":
            message["taskId"] = self.task
        self.task, self.state = "", ""
        params = {"message": message} | ({} if wait else {"configuration": {"blocking": False} if self.old else {"returnImmediately": True}})
        self.read(self.call(method, **params), command.get("after") or (0 if wait else 1))
        for _ in range(40):  # an answer may come before the end of its task
            if not wait or command.get("after") or self.plain_state() not in ("submitted", "working"):
                break
            time.sleep(0.5)
            self.read(self.call("GetTask", id=self.task))
        for name, text in self.whole.items():
            self.say(saw="artifact", id=name, text=text, assembled=True)
        if self.plain_state() in ("completed", "failed", "canceled", "rejected", "message"):
            self.say(saw="end", of="task")
        self.failed |= self.plain_state() in ("failed", "canceled", "rejected")

    def read(self, results, after=0):
        for n, result in enumerate(results, 1):
            self.see(result)
            if n == after:
                results.close()  # which ends the connection

    def do(self, command):
        word, about = command["do"], {"id": self.task}
        if word == "card":
            with urllib.request.urlopen(self.context["card"], timeout=20) as answer:
                self.use_card(json.load(answer))
        elif word == "extended-card":
            self.use_card(next(self.call("GetExtendedAgentCard")))
        elif word in ("send", "stream"):
            self.send(command, "SendStreamingMessage" if word == "stream" else "SendMessage")
        elif word == "get":
            self.read(self.call("GetTask", **about))
        elif word == "cancel":
            self.read(self.call("CancelTask", **about))
        elif word == "subscribe" and self.plain_state() in ("submitted", "working"):
            self.read(self.call("SubscribeToTask", **about))
        elif word == "list" and not self.old:
            token, since = "", {"statusTimestampAfter": command["since"]} if "since" in command else {}
            while page := next(self.call("ListTasks", **since, **({"pageToken": token} if token else {}))):
                for task in page["tasks"]:
                    self.say(saw="task", id=task["id"], state=task["status"]["state"])
                if not (token := page.get("nextPageToken")):
                    break
        elif word not in ("subscribe", "stop"):
            self.say(cannot=word)

    def run(self):
        """Does all commands, and returns the exit code."""
        commands = self.context["do"]
        if commands[0]["do"] != "card":
            commands = [{"do": "card"}] + commands
        for command, following in zip(commands, commands[1:] + [{"do": ""}]):
            if following["do"] == "stop":
                command["after"] = following["after"]
            try:
                self.do(command)
            except Exception as e:  # whatever the client raises is what its user would see
                self.failed, error = True, e.args[0] if isinstance(e, Refused) and isinstance(e.args[0], dict) else {"message": str(e) or repr(e)}
                reasons = [d["reason"] for d in error.get("data") or [] if isinstance(d, dict) and "reason" in d] if isinstance(error.get("data"), list) else []
                self.say(saw="error", code=error.get("code"), reason=next(iter(reasons), None), message=error.get("message"))
                if not self.card:
                    break
        return int(self.failed)


if os.environ.get("A2A_CONFORM_KEEP"):  # one process for all scenarios
    for line in sys.stdin:
        adapter = Adapter(json.loads(line))
        code = adapter.run()
        adapter.say(saw="end", of="scenario", exit=code)
else:
    sys.exit(Adapter(json.loads(os.environ["A2A_CONFORM_CONTEXT"])).run())
