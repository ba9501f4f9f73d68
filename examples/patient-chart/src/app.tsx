import { useState } from 'react';
import { PatientDetail } from './patient-detail';
import { PatientList } from './patient-list';
import { signedInUser, signOut, tenant } from './sign-in';

export function App() {
  const [selected, select] = useState<string>();
  const user = signedInUser();
  return (
    <>
      <header className="bar">
        <h1>Patient charts</h1>
        <span className="quiet">tenant {tenant} · FHIR R4</span>
        {user !== undefined && (
          <span className="user">
            {user}{' '}
            <button type="button" onClick={signOut}>
              Sign out
            </button>
          </span>
        )}
      </header>
      <main>
        <PatientList selected={selected} onSelect={select} />
        {selected === undefined ? (
          <p className="empty">Select a patient.</p>
        ) : (
          <PatientDetail key={selected} id={selected} />
        )}
      </main>
    </>
  );
}
