/** The screens of terminology: the look-up with the lists, and one definition. */
import { Route, Routes } from 'react-router';
import { useSpace } from '../../layout/place-context';
import { DefinitionScreen } from './definition-screen';
import { TerminologyHome } from './terminology-home';

export default function TerminologyScreen() {
  const space = useSpace();
  return (
    <Routes>
      <Route index element={<TerminologyHome space={space} />} />
      <Route path=":kind/:id" element={<DefinitionScreen space={space} />} />
    </Routes>
  );
}
