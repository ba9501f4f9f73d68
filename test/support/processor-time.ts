/** Milliseconds of this process's own work, whatever else the machine is busy with. */
export function processorMilliseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
