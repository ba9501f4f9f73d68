/** A term and its value in a list of members. */
import classes from './render.module.css';

interface RowProps {
  readonly label: string;
  readonly hint: string;
  readonly children: React.ReactNode;
}

export function Row({ label, hint, children }: RowProps) {
  return (
    <div className={classes['member']}>
      <dt className={classes['label']} dir="auto" title={hint}>
        {label}
      </dt>
      <dd className={classes['value']} dir="auto">
        {children}
      </dd>
    </div>
  );
}
