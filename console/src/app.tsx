/** The screens and their addresses. Those of records are the FHIR addresses themselves. */
import { lazy, Suspense } from 'react';
import { Route, Routes, useLocation } from 'react-router';
import { ErrorBoundary } from './layout/error-boundary';
import { Layout } from './layout/layout';
import { Loading } from './layout/loaded';
import { StartScreen } from './screens/start/start-screen';

const SignedInScreen = lazy(() => import('./screens/signed-in-screen'));
const FhirScreen = lazy(() => import('./screens/fhir-screen'));
const TerminologyScreen = lazy(() => import('./screens/terminology/terminology-screen'));
const GraphiqlScreen = lazy(() => import('./screens/graphiql-screen'));
const AdministrationScreen = lazy(() => import('./screens/administration/administration-screen'));
const NotFoundScreen = lazy(() => import('./screens/not-found-screen'));

export function App() {
  const { pathname } = useLocation();
  return (
    <Layout>
      <ErrorBoundary place={pathname}>
        <Suspense fallback={<Loading />}>
          <Routes>
            <Route path="/" element={<StartScreen />} />
            <Route path="/w/:tenant" element={<StartScreen />} />
            <Route path="/w/:tenant/console" element={<StartScreen />} />
            <Route path="/w/:tenant/console/signed-in" element={<SignedInScreen />} />
            <Route path="/w/system/console/administration/*" element={<AdministrationScreen />} />
            <Route path="/w/:tenant/console/:release/terminology/*" element={<TerminologyScreen />} />
            <Route path="/w/:tenant/console/:release/graphiql" element={<GraphiqlScreen />} />
            <Route path="/w/:tenant/api/v1/fhir/:release/*" element={<FhirScreen />} />
            <Route path="*" element={<NotFoundScreen />} />
          </Routes>
        </Suspense>
      </ErrorBoundary>
    </Layout>
  );
}
