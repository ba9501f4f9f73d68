/** Chooses the screen of a FHIR address: a search, a record, one of its versions, or any other answer. */
import { lazy } from 'react';
import { useParams } from 'react-router';
import { isValidId } from '../../../packages/fhir-values/id';
import { useSpace } from '../layout/current-screen';

const TypesScreen = lazy(() => import('./resources/types-screen'));
const SearchScreen = lazy(() => import('./resources/search-screen'));
const RecordScreen = lazy(() => import('./resource/record-screen'));
const AnswerScreen = lazy(() => import('./answer-screen'));

const TYPE = /^[A-Z][A-Za-z]+$/;

export default function FhirScreen() {
  const space = useSpace();
  const { '*': rest = '' } = useParams();
  const parts = rest.split('/').filter((part) => part !== '');
  const [type = '', id = '', third, version] = parts;
  if (parts.length === 0) return <TypesScreen space={space} />;
  const isOfType = TYPE.test(type);
  if (isOfType && parts.length === 1) return <SearchScreen key={type} space={space} type={type} />;
  const isRecord = isOfType && isValidId(id);
  const key = `${type}/${id}`;
  if (isRecord && parts.length === 2) return <RecordScreen key={key} space={space} type={type} id={id} />;
  if (isRecord && third === '_history' && parts.length <= 4)
    return (
      <RecordScreen
        key={key}
        space={space}
        type={type}
        id={id}
        versionId={version}
        isHistory={version === undefined}
      />
    );
  return <AnswerScreen space={space} rest={rest} />;
}
