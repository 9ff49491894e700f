#!/usr/bin/env node
// Stands in the work tree, for npm links no program that is not built yet.
await import("../dist/main.js");
