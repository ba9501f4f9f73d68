/** A mail server that stores what it gets (RFC 5321, as far as a client needs it). */
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The headers and the text, as they were sent. */
  readonly content: string;
}

export interface MailServer {
  /** For SMTP_URL. */
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** It refuses recipients with this domain. */
  readonly refusedDomain: string;
  close(): Promise<void>;
}

const REFUSED = 'refused.example';

/** Answers the commands of one connection. */
function serve(socket: Socket, store: (mail: ReceivedMail) => void): void {
  let waiting = '';
  let content: string[] | undefined;
  let [from, to] = ['', [] as string[]];
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  const addressIn = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? '';
  function take(line: string): void {
    if (content !== undefined) {
      if (line !== '.') {
        content.push(line.replace(/^\./, ''));
        return;
      }
      store({ from, to, content: content.join('\n') });
      [content, from, to] = [undefined, '', []];
      say('250 stored');
    } else if (/^(EHLO|HELO)/i.test(line)) say('250 tests');
    else if (/^MAIL/i.test(line)) {
      from = addressIn(line);
      say('250 ok');
    } else if (/^RCPT/i.test(line)) {
      if (addressIn(line).endsWith(`@${REFUSED}`)) {
        say('550 no such person');
        return;
      }
      to.push(addressIn(line));
      say('250 ok');
    } else if (/^DATA/i.test(line)) {
      content = [];
      say('354 go on');
    } else if (/^QUIT/i.test(line)) {
      say('221 bye');
      socket.end();
    } else say('502 not known');
  }
  socket.setEncoding('utf8').on('data', (chunk) => {
    const lines = (waiting + String(chunk)).split('\r\n');
    waiting = lines.pop() ?? '';
    lines.forEach(take);
  });
  socket.on('error', () => socket.destroy());
  say('220 tests');
}

export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = createServer((socket) => serve(socket, (mail) => received.push(mail)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refusedDomain: REFUSED,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
