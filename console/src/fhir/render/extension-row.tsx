/** An extension under its title, or under the last part of its address. */
import type { JsonObject } from '../../api/json';
import { textOf } from '../../api/json';
import { extensionType, extensionValueName } from '../extension';
import { shortUrl } from '../format';
import { humanize } from '../humanize';
import { ItemView, MemberList, Row } from './member-list';
import { useRenderSpace } from './render-space';
import classes from './render.module.css';
import { useExtensionTitle } from './use-names';

export function ExtensionRow({ extension }: { readonly extension: JsonObject }) {
  const url = textOf(extension['url']) ?? '';
  const title = useExtensionTitle(useRenderSpace(), url);
  const name = extensionValueName(extension);
  const more = name === undefined ? undefined : extension[`_${name}`];
  const said = new Set(['url', ...(name === undefined || more !== undefined ? [] : [name])]);
  const hasRest = Object.keys(extension).some((each) => !said.has(each));
  return (
    <Row label={title ?? humanize(shortUrl(url))} hint={url}>
      {name === undefined || more !== undefined ? null : (
        <ItemView
          item={{ value: extension[name] ?? undefined, more: undefined }}
          type={extensionType(name, extension[name])}
          elements={[]}
        />
      )}
      {hasRest ? (
        <div className={classes['group']}>
          <MemberList object={extension} elements={[]} without={said} />
        </div>
      ) : null}
    </Row>
  );
}
