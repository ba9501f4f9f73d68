/** Relay's runtime with documents that its compiler has made: test/clients/front-end/README.md. */
import {
  commitMutation,
  createOperationDescriptor,
  fetchQuery,
  getRequest,
  getSingularSelector,
  type ConcreteRequest,
} from 'relay-runtime';
import { createEnvironment } from '../../examples/front-end/relay';
import drugs from './front-end/__generated__/scenarioDrugsQuery.graphql';
import history from './front-end/__generated__/scenarioHistoryQuery.graphql';
import list from './front-end/__generated__/scenarioListQuery.graphql';
import page from './front-end/__generated__/scenarioPageQuery.graphql';
import pages from './front-end/__generated__/pages_patients.graphql';
import pagesPagination from './front-end/__generated__/pagesPaginationQuery.graphql';
import past from './front-end/__generated__/scenarioPastQuery.graphql';
import patient from './front-end/__generated__/scenarioPatientQuery.graphql';
import subject from './front-end/__generated__/scenarioSubjectQuery.graphql';
import update from './front-end/__generated__/scenarioUpdateMutation.graphql';
import { describeCaching, type DocumentName, type FirstPage } from './front-end/scenario';

const COMPILED: Readonly<Record<DocumentName, ConcreteRequest>> = {
  drugs,
  history,
  list,
  page,
  past,
  patient,
  subject,
  update,
};

describeCaching((address) => {
  const environment = createEnvironment({ address });
  return {
    run: (name, variables = {}) =>
      name === 'update'
        ? new Promise((resolve, reject) => {
            commitMutation(environment, {
              mutation: COMPILED[name],
              variables,
              onCompleted: resolve,
              onError: reject,
            });
          })
        : fetchQuery(environment, COMPILED[name], variables).toPromise(),
    cached(name) {
      const operation = createOperationDescriptor(getRequest(COMPILED[name]), {});
      return environment.lookup(operation.fragment).data;
    },
    // As usePaginationFragment of react-relay does.
    async twoPages() {
      await fetchQuery(environment, pagesPagination, { count: 1 }).toPromise();
      const { data } = environment.lookup(
        createOperationDescriptor(getRequest(pagesPagination), { count: 1 }).fragment,
      );
      const selector = getSingularSelector(pages, data);
      const shown = (): unknown => environment.lookup(selector).data;
      const { PatientConnection: first } = shown() as FirstPage;
      expect(first.pageInfo.hasNextPage).toBe(true);
      const cursor = first.pageInfo.endCursor;
      await fetchQuery(environment, pagesPagination, { count: 1, cursor }).toPromise();
      return shown();
    },
  };
});
