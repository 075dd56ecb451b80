#!/usr/bin/env node
// Runs the program a2a-conform, which another package has for each system: npm installs the one that fits.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");
const tty = require("node:tty");

const platform = `${process.platform}-${process.arch}`;
const name = `@a2a-conform/${platform}`;

// fail ends with the exit code for errors that are no verdict on a server.
function fail(message) {
  console.error(`a2a-conform: ${message}`);
  process.exit(2);
}

function findProgram() {
  try {
    return require.resolve(`${name}/bin/a2a-conform${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    const systems = Object.keys(require("../package.json").optionalDependencies).map((p) => p.split("/")[1]);
    if (!systems.includes(platform)) {
      fail(`there is no program for ${platform}, only for ${systems.join(", ")}; with Go, build it: go install github.com/a2a-conform/a2a-conform/cmd/a2a-conform@latest`);
    }
    fail(`the package ${name} is not installed, which has the program; install a2a-conform again, without --omit=optional or --no-optional, and on this system`);
  }
}

const child = spawn(findProgram(), process.argv.slice(2), { stdio: "inherit" });

// A terminal sends Ctrl-C to the program too; a second interrupt would end it at once, so it gets
// only signals that were sent to this process alone.
const onTerminal = [0, 1, 2].some((fd) => tty.isatty(fd));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !onTerminal) child.kill(signal);
  });
}
child.on("error", (error) => fail(`the program cannot be started: ${error.message}`));
child.on("exit", (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code));
