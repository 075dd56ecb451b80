// Reads a junit.xml as dashboards do, and prints what it found as JSON.
import { readFileSync } from "node:fs";
import { parse } from "junit2json";

console.log(JSON.stringify(await parse(readFileSync(process.argv[2], "utf8"))));
