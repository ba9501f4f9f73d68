/** Returns the base addresses of a loopback-only server; none while its port is unknown. */
export function loopbackAddresses(port: number): readonly string[] {
  return port === 0 ? [] : ['localhost', '127.0.0.1', '[::1]'].map((name) => `http://${name}:${port}`);
}
