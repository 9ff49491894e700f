/**
 * Keeps one warning of Node from people: kafkajs sets a timer below zero, to mean "at once", and Node 24 says so once a
 * process. Nobody who reads it can do anything about it. All other warnings are shown as before.
 */
export function dropTimerWarning(): void {
  const shown = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name !== "TimeoutNegativeWarning") for (const show of shown) show(warning);
  });
}
