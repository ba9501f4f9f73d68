/** The addresses under which a server that only this machine reaches is asked; none while its port is not known. */
export function loopbackAddresses(port: number): readonly string[] {
  return port === 0 ? [] : ['localhost', '127.0.0.1', '[::1]'].map((name) => `http://${name}:${port}`);
}
