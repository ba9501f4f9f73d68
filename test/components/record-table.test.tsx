/** The table under all lists of records. */
import { useQuery } from '@tanstack/react-query';
import { fireEvent, screen } from '@testing-library/dom';
import { RecordTable, type RecordColumn } from '../../console/src/layout/record-table';
import { render } from './render';

interface Row {
  readonly id: string;
  readonly name: string;
}

const ROWS: readonly Row[] = [
  { id: 'a', name: 'Ann' },
  { id: 'b', name: 'Ben' },
];
const COLUMNS: readonly RecordColumn<Row>[] = [
  { title: 'Id', cell: ({ id }) => id },
  { title: 'Name', cell: ({ name }) => <a href={`#${name}`}>{name}</a> },
];
const SHAPE = { caption: 'People', columns: COLUMNS, keyOf: ({ id }: Row) => id, minWidth: 100 };

function Queried({ load }: { readonly load: () => Promise<readonly Row[]> }) {
  const query = useQuery({ queryKey: ['people'], queryFn: load, retry: false });
  return <RecordTable {...SHAPE} query={query} empty="Nobody is here." />;
}

it('has a name, a head and a row for each record', () => {
  render(<RecordTable {...SHAPE} rows={ROWS} />);
  expect(screen.getByRole('table', { name: 'People' })).toBeTruthy();
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['Id', 'Name']);
  expect(screen.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
    'IdName',
    'aAnn',
    'bBen',
  ]);
});

it('lets each cell have the direction of its own text', () => {
  render(<RecordTable {...SHAPE} rows={[{ id: 'c', name: 'דינה' }]} />);
  expect(screen.getAllByRole<HTMLTableCellElement>('cell').map(({ dir }) => dir)).toEqual(['auto', 'auto']);
});

it('says that it loads, and then that there is nothing', async () => {
  render(<Queried load={() => Promise.resolve([])} />);
  expect(screen.getByRole('status', { name: 'Loading …' })).toBeTruthy();
  await screen.findByText('Nobody is here.');
  expect(screen.queryByRole('table')).toBeNull();
});

it('says why it has not loaded, and loads again when asked to', async () => {
  let isAway = true;
  render(
    <Queried
      load={() => (isAway ? Promise.reject(new Error('The server is away')) : Promise.resolve(ROWS))}
    />,
  );
  await screen.findByText('The server is away');
  isAway = false;
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByRole('cell', { name: 'Ben' });
});

it('loads more when asked to', () => {
  const load = jest.fn();
  render(<RecordTable {...SHAPE} rows={ROWS} more={{ label: 'More people', load }} />);
  fireEvent.click(screen.getByRole('button', { name: 'More people' }));
  expect(load).toHaveBeenCalledTimes(1);
});

it('opens the details of one row, and closes them', () => {
  const details = {
    title: 'Details',
    label: ({ name }: Row) => `Details of ${name}`,
    view: ({ name }: Row) => <p>{name} lives here</p>,
  };
  render(<RecordTable {...SHAPE} rows={ROWS} details={details} />);
  const button = screen.getByRole('button', { name: 'Details of Ben' });
  expect(button.getAttribute('aria-expanded')).toBe('false');
  fireEvent.click(button);
  expect(button.getAttribute('aria-expanded')).toBe('true');
  expect(screen.getByText('Ben lives here').closest('td')?.colSpan).toBe(3);
  expect(screen.queryByText('Ann lives here')).toBeNull();
  fireEvent.click(button);
  expect(screen.queryByText('Ben lives here')).toBeNull();
});

it('opens a record where its row is clicked, and leaves links alone', () => {
  const open = jest.fn();
  render(<RecordTable {...SHAPE} rows={ROWS} open={open} />);
  fireEvent.click(screen.getByRole('link', { name: 'Ben' }));
  expect(open).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole('cell', { name: 'b' }));
  expect(open).toHaveBeenCalledWith(ROWS[1]);
});
