import type { Block } from '../support/page-blocks';
import { faultsOf } from './block-rules';
import { toPattern, toSteps } from './shown-output';

const block = (fence: string, text: string): Block => {
  const [language = '', ...words] = fence.split(' ');
  return { place: 'docs/use/page.md:1', language, words, text, heading: 'A heading' };
};
const fault = (text: string): string => `docs/use/page.md:1: ${text}`;

describe('a page', () => {
  it('names the language of each block', () => {
    expect(faultsOf([block('', 'curl localhost:3000\n')])).toEqual([
      fault("the language '' cannot be run: mark it 'norun', or as 'text' if it does nothing"),
    ]);
    expect(faultsOf([block('sh', 'true\n'), block('json answer', '{}\n'), block('text', 'x\n')])).toEqual([]);
  });

  it('hides no command among outputs', () => {
    expect(faultsOf([block('text', 'id  name\n$ andiron tenant list\n')])).toEqual([
      fault("a block of 'text' has the command '$ andiron tenant list': mark it 'sh' or 'console'"),
    ]);
    expect(faultsOf([block('text', 'docker run -d andiron\n')])).toHaveLength(1);
    expect(faultsOf([block('text', 'andiron: PORT must be a whole number\n')])).toEqual([]);
  });

  it('says in the fence, which readers do not see, why a block is not run', () => {
    const expected = [fault("its fence does not say 'norun because …' with a reason")];
    expect(faultsOf([block('java norun', 'class A {}\n')])).toEqual(expected);
    expect(faultsOf([block('java norun because', 'class A {}\n')])).toEqual(expected);
    expect(faultsOf([block('java norun because tests have no Java', 'class A {}\n')])).toEqual([]);
  });

  it.each([
    'andiron doctor',
    'PORT=8080 andiron config',
    'createdb a && andiron migrate',
    'node dist/src/cli.js doctor',
  ])('types a command so that it works in a clone, which %s does not', (command) => {
    const expected = [fault("it has a command of andiron that is not typed as 'npx --no-install andiron …'")];
    expect(faultsOf([block('sh', `${command}\n`)])).toEqual(expected);
    expect(faultsOf([block('console', `$ ${command}\n`)])).toEqual(expected);
  });

  it('may name andiron elsewhere', () => {
    const text = 'docker exec andiron node dist/src/cli.js doctor\nls andiron # and andiron doctor\n';
    expect(faultsOf([block('sh', text)])).toEqual([]);
    expect(faultsOf([block('sh', 'PORT=1 npx --no-install andiron doctor\n')])).toEqual([]);
  });

  it('names its files, and has a command for each', () => {
    const program = block('js', '// count.mjs\nconsole.log(1);\n');
    expect(faultsOf([block('js', 'console.log(1);\n')])).toEqual([
      fault('its first line is not the name of a file in a comment'),
    ]);
    expect(faultsOf([program])).toEqual([fault('no command uses count.mjs')]);
    expect(faultsOf([program, block('console', '$ node count.mjs\n1\n')])).toEqual([]);
  });
});

describe('a block of console', () => {
  it('has commands of several lines, each with its output', () => {
    expect(toSteps("$ curl -s x \\\n  -d '{\n  }'\n{}\n$ true\n")).toEqual([
      { command: "curl -s x \\\n  -d '{\n  }'", shown: '{}' },
      { command: 'true', shown: '' },
    ]);
    expect(() => toSteps('curl -s x\n')).toThrow("a block of console begins with '$ ', not with curl -s x");
  });

  it('omits text of an output, and nothing else differs', () => {
    const pattern = toPattern('{"id":"…", … "total":1}');
    expect(pattern.test('{"id":"a1","meta":{},"total":1}\n')).toBe(true);
    expect(pattern.test('{"id":"a1","meta":{},"total":2}\n')).toBe(false);
    expect(toPattern('').test('an error\n')).toBe(false);
  });
});
