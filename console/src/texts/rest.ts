export const rest = {
  title: 'REST console',
  intro:
    'Send a request to the FHIR addresses of this tenant, with your rights, and see the answer as it came.',
  requestTab: 'Request',
  fileTab: 'File',

  method: 'Method',
  path: 'Path',
  pathHint: (root: string) => `Below ${root}`,
  foreign:
    'Write a path of this tenant and release, such as Patient?name=anders. Requests go nowhere else, because your token goes with them.',
  headers: 'Headers',
  header: (place: number) => `Header ${place}`,
  headerValue: (place: number) => `Value of header ${place}`,
  addHeader: 'Add a header',
  removeHeader: (place: number) => `Remove header ${place}`,
  headerFaults: {
    name: 'This is no name of a header.',
    value: 'A value is one line of letters, digits and signs.',
    own: 'The console or the browser sets this header.',
  },
  body: 'Body of the request',
  send: 'Send',
  cancel: 'Cancel',
  curl: 'As a curl command',
  token: 'Set TOKEN to an access token: the command has none, because commands are stored and shared.',

  answer: 'Answer',
  noAnswer: 'The answer appears here.',
  summary: (status: string, ms: number, size: string) => `${status} · ${ms} ms · ${size}`,
  answerHeaders: (count: number) => `Headers of the answer (${count})`,
  headerName: 'Header',
  headerText: 'Value',
  answerBody: 'Body of the answer',
  emptyBody: 'The answer has no body.',
  cut: (shown: string, size: string) => `The first ${shown} of ${size} are shown.`,
  save: 'Save as a file',
  openScreen: 'Open on its screen',
  shortened: (left: number) => `… ${left.toLocaleString('en')} more characters`,

  history: 'Sent before',
  historyHint: 'Kept in this tab until you sign out or close it, for you alone.',
  noHistory: 'Nothing was sent yet.',
  clear: 'Forget all',
  again: (request: string) => `Take ${request} again`,
  cutBody: 'Its body was too long to be kept.',
  request: 'Request',
  status: 'Status',
  time: 'Time',
  when: 'When',

  operation: (code: string) => `Parameters of $${code}`,
  operationHint: 'The form writes a Parameters resource into the body of a POST.',
  required: 'required',
  addValue: (name: string) => `Another value of ${name}`,
  makeParameters: 'Put the parameters into the body',
  noParameters: 'This operation has no parameters.',
  jsonOf: (type: string) => `JSON of ${type}`,
  jsonOfParts: 'JSON array of its parts',
  valueFaults: {
    missing: 'A value is required.',
    number: 'This is no number.',
    json: 'This is no JSON of the expected kind.',
  },
  yes: 'true',
  no: 'false',
  unset: '(not set)',

  file: 'Send a file',
  fileHint:
    'A Bundle, a resource, or NDJSON with a resource on each line. Drop it anywhere on this screen, or choose it. Nothing is sent before you say so.',
  choose: 'Choose a file',
  reading: 'Reading the file …',
  unreadable: {
    long: 'The file has more than 100 MB. Split it, or use the import of bulk data.',
    empty: 'The file is empty.',
    text: 'The file is no text in UTF-8. Unpack it first.',
    'long-bundle':
      'A Bundle of more than 64 MB is taken by no server. Write a resource on each line (NDJSON).',
    'not-fhir': 'The file is no FHIR JSON.',
  },
  kinds: {
    lines: 'A resource on each line (NDJSON): each is sent by itself.',
    resource: 'One resource.',
    batch: 'A batch: its entries are sent in parts, each by itself.',
    transaction: 'A transaction: it is sent as one request, all or nothing.',
    entries: 'A Bundle of resources: each is sent by itself.',
  },
  willSend: 'What would be sent',
  requests: 'Requests',
  requestKind: 'Method and type',
  notSent: (count: number) =>
    count === 1 ? '1 line is not sent:' : `${count.toLocaleString('en')} lines are not sent:`,
  noResource: 'no FHIR resource',
  unknownType: (type: string) => `${type} is no resource type of this release`,
  tryFirst: 'Dry run',
  tryHint:
    'The dry run sends each resource to $validate and stores nothing. It checks structure, codes, rules and profiles. It does not check whether references lead to anything, whether you may write, conditions such as If-None-Exist, or quotas.',
  sendAll: (count: number) =>
    count === 1 ? 'Send 1 request' : `Send ${count.toLocaleString('en')} requests`,
  sendWhole: 'Send the transaction',
  leaveOut: (count: number) =>
    `Leave out ${count === 1 ? 'the line' : `the ${count.toLocaleString('en')} lines`} with errors`,
  trying: 'Dry run',
  sending: 'Sending',
  progress: (done: number, all: number) => `${done.toLocaleString('en')} of ${all.toLocaleString('en')}`,
  tried: (count: number, faults: number) =>
    faults === 0
      ? `Dry run: no errors. Resources: ${count.toLocaleString('en')}.`
      : `Dry run: errors in ${faults.toLocaleString('en')} of ${count.toLocaleString('en')} resources. Nothing was stored.`,
  sent: (count: number, faults: number) =>
    [
      `Done: ${(count - faults).toLocaleString('en')} of ${count.toLocaleString('en')} requests.`,
      ...(faults === 0 ? [] : [`Refused: ${faults.toLocaleString('en')}.`]),
    ].join(' '),
  stopped: (done: number) => `Stopped after ${done.toLocaleString('en')}. What was done before stays.`,
  partFailed: (from: number, to: number) =>
    `The part from line ${from} to ${to} failed as a whole; those before it were done:`,
  partUnknown: (from: number, to: number) =>
    `The answer to the part from line ${from} to ${to} was lost: it may have been stored. Those before it were done:`,
  faults: 'Errors',
  warnings: 'Warnings',
  line: 'Line',
  record: 'Record',
  message: 'Message',
  moreFaults: (count: number) => `${count.toLocaleString('en')} more are not listed.`,
} as const;
