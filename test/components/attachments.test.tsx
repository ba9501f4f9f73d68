/** Contents of attachments that the browser itself loads: images, videos, sounds, and files of any length. */
import { fireEvent, screen, waitFor } from '@testing-library/dom';
import { contentTypeOf } from '../../console/src/api/upload';
import { AttachmentView } from '../../console/src/fhir/render/attachment-view';
import { RenderSpace } from '../../console/src/fhir/render/render-space';
import { render } from './render';

const ACME = { tenant: 'acme', release: 'r4' } as const;
const ROOT = '/w/acme/api/v1/fhir/r4';

/** Keys of the Binaries whose addresses the page has asked for. */
const asked: string[] = [];

beforeEach(() => {
  asked.length = 0;
  sessionStorage.clear();
  globalThis.fetch = (_input, init) => {
    const { variables } = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as {
      variables: { key: string };
    };
    asked.push(variables.key);
    const address = `${variables.key}?_signature=${asked.length}`;
    return Promise.resolve(Response.json({ data: { node: { content: { address } } } }));
  };
});

const show = (attachment: { contentType: string; url: string; title: string }): void =>
  render(
    <RenderSpace value={ACME}>
      <AttachmentView value={attachment} />
    </RenderSpace>,
  );

it('a video is played from an address, which is renewed at the same moment when it has ended', async () => {
  show({ contentType: 'video/mp4', url: 'Binary/gait', title: 'Gait' });
  fireEvent.click(screen.getByRole('button', { name: 'Load the content' }));
  const player = await screen.findByLabelText<HTMLVideoElement>('Content of Gait.mp4');
  expect(player.getAttribute('src')).toBe(`${ROOT}/Binary/gait?_signature=1`);
  player.currentTime = 61;
  fireEvent.timeUpdate(player);
  fireEvent.error(player);
  await waitFor(() => expect(player.getAttribute('src')).toBe(`${ROOT}/Binary/gait?_signature=2`));
  player.currentTime = 0;
  fireEvent.loadedMetadata(player);
  expect(player.currentTime).toBe(61);
  // One that cannot be played at all does not ask for ever.
  fireEvent.error(player);
  expect(asked).toEqual(['Binary/gait', 'Binary/gait']);
});

it('an image is loaded by the browser, at once where it is small', async () => {
  show({ contentType: 'image/png', url: 'Binary/wound', title: 'Wound' });
  const image = await screen.findByRole('img', { name: 'Wound.png' });
  expect(image.getAttribute('src')).toBe(`${ROOT}/Binary/wound?_signature=1`);
  // An address that has ended is renewed, once.
  fireEvent.error(image);
  await waitFor(() => expect(image.getAttribute('src')).toBe(`${ROOT}/Binary/wound?_signature=2`));
  fireEvent.error(image);
  expect(asked).toEqual(['Binary/wound', 'Binary/wound']);
});

it('a PDF is given to the viewer of the browser, and opened from an address that was made for it', async () => {
  const opened: string[] = [];
  const page = { opener: window, location: { replace: (address: string) => opened.push(address) } };
  const open = jest.spyOn(window, 'open').mockReturnValue(page as unknown as Window);
  show({ contentType: 'application/pdf', url: 'Binary/letter', title: 'Letter' });
  fireEvent.click(screen.getByRole('button', { name: 'Load the content' }));
  const frame = await screen.findByTitle('Content of Letter.pdf');
  expect(frame.getAttribute('src')).toBe(`${ROOT}/Binary/letter?_signature=1`);
  fireEvent.click(screen.getByRole('button', { name: 'Open' }));
  await waitFor(() => expect(opened).toEqual([`${ROOT}/Binary/letter?_signature=2`]));
  expect(page.opener).toBeNull();
  open.mockRestore();
});

it('a file that is not shown is saved without passing through the page', async () => {
  const saved: (readonly string[])[] = [];
  HTMLAnchorElement.prototype.click = function click(this: HTMLAnchorElement) {
    saved.push([this.getAttribute('href') ?? '', this.download]);
  };
  show({ contentType: 'application/zip', url: 'Binary/scans/_history/3', title: 'Scans' });
  expect(screen.queryByRole('button', { name: 'Load the content' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Download' }));
  await waitFor(() => expect(saved).toEqual([[`${ROOT}/Binary/scans/_history/3?_signature=1`, 'Scans.zip']]));
});

it('a file of JSON is sent as bytes, and never as a resource', () => {
  expect(
    ['', 'application/json', 'application/fhir+json', 'image/png'].map((type) => contentTypeOf({ type })),
  ).toEqual([
    ...['application/octet-stream', 'application/octet-stream', 'application/octet-stream'],
    'image/png',
  ]);
});
