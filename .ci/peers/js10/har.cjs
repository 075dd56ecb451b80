// Tells what har-validator has to say against a file, a line for each sort of complaint,
// and exits with 1 if there is one.
//
// usage: node har.cjs FILE
const { readFileSync } = require('node:fs');
const { har } = require('har-validator');

har(JSON.parse(readFileSync(process.argv[2], 'utf8'))).catch(({ errors, message }) => {
  const complaints = (errors ?? []).map((e) => `${e.dataPath.replace(/\d+/g, 'N')} ${e.message}`);
  console.error([...new Set(complaints)].join('\n') || message);
  process.exitCode = 1;
});
