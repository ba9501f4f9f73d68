/** Validates a record as it is stored; a finding leads to its place in the editor. */
import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { validate } from '../../api/fhir';
import { jsonSteps } from '../../api/json';
import { inSlices } from '../../api/slices';
import { Loaded } from '../../layout/loaded';
import { resourcePath } from '../../place';
import { texts } from '../../texts';
import type { DialogProps } from './record-dialog';
import { ValidationList } from './editor/validation-list';

const { editing, common } = texts;

export function ValidationDialog(props: DialogProps) {
  const { type, id, isOpen, onClose } = props;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      size="lg"
      title={editing.validationTitle(`${type}/${id}`)}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {isOpen ? <Validation {...props} /> : null}
    </Modal>
  );
}

function Validation({ space, type, id, record, onClose }: DialogProps) {
  const navigate = useNavigate();
  const issues = useQuery({
    queryKey: ['validation', space, type, id],
    queryFn: async () => validate(space, type, await inSlices(jsonSteps(record))),
    gcTime: 0,
    staleTime: 0,
  });
  return (
    <Loaded query={issues}>
      {(found) => (
        <ValidationList
          issues={found}
          onGo={({ expression: [place] }) => {
            onClose();
            void navigate({ pathname: resourcePath(space, type, id), hash: '#edit' }, { state: { place } });
          }}
        />
      )}
    </Loaded>
  );
}
