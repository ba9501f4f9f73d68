import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The labels of certificates that OpenSSL reads. */
const CERTIFICATE =
  /-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END \1CERTIFICATE-----/g;

/**
 * The fault of a file of certificate authorities, as a text that follows the name of its setting; undefined if there
 * is none. TLS itself ignores certificates that it cannot read, and then trusts no server.
 */
export function findCertificateFault(file: string): string | undefined {
  let certificates: readonly string[];
  try {
    certificates = readFileSync(file, 'latin1').match(CERTIFICATE) ?? [];
  } catch {
    return 'names a file that cannot be read';
  }
  if (certificates.length === 0) return 'names a file without a certificate (PEM)';
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
    return undefined;
  } catch {
    return 'names a file with an invalid certificate';
  }
}
