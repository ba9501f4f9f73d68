import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The labels that OpenSSL reads certificates under. */
const CERTIFICATE =
  /-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END \1CERTIFICATE-----/g;

/**
 * What is wrong with a file of certificate authorities, in words that follow its setting's name; undefined when there
 * is nothing. TLS itself would pass over what it cannot read, and then trust nobody.
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
    return 'names a file with a certificate that cannot be understood';
  }
}
