import { useState } from 'react';
import { tenant } from './gateway';
import { PatientDetail } from './patient-detail';
import { PatientList } from './patient-list';

export function App() {
  const [selected, select] = useState<string>();
  return (
    <>
      <header className="bar">
        <h1>Patient charts</h1>
        <span className="quiet">tenant {tenant} · FHIR R4</span>
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
