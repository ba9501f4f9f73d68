// Words and codes of the generated patients: names, places, and the SNOMED CT, LOINC, RxNorm and CVX codes.
export const FAM =
  'Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Gomez Phillips Evans Turner Diaz Parker Cruz Edwards Collins Reyes Stewart Morris Morales Murphy Cook Rogers Gutierrez Ortiz Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Kim Cox Ward Richardson Watson Brooks Chavez Wood James Bennett Gray Mendoza Ruiz Hughes Price Alvarez Castillo Sanders Patel Myers Long Ross Foster Jimenez'.split(
    ' ',
  );
export const GM =
  'James Robert John Michael David William Richard Joseph Thomas Charles Christopher Daniel Matthew Anthony Mark Donald Steven Andrew Paul Joshua Kenneth Kevin Brian George Timothy Ronald Edward Jason Jeffrey Ryan Jacob Gary Nicholas Eric Jonathan Stephen Larry Justin Scott Brandon'.split(
    ' ',
  );
export const GF =
  'Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Nancy Betty Sandra Margaret Ashley Kimberly Emily Donna Michelle Carol Amanda Melissa Deborah Stephanie Dorothy Rebecca Sharon Laura Cynthia Amy Kathleen Angela Shirley Brenda Emma Anna Pamela Nicole Samantha'.split(
    ' ',
  );
export const CITY =
  'Boston Worcester Springfield Cambridge Lowell Brockton Quincy Lynn Newton Lawrence Somerville Framingham Haverhill Waltham Malden Brookline Plymouth Medford Taunton Chicopee'.split(
    ' ',
  );
export const STREET =
  'Main Oak Pine Maple Cedar Elm View Washington Lake Hill Park Church High School Spring'.split(' ');
export const SNOMED = 'http://snomed.info/sct',
  LOINC = 'http://loinc.org',
  RX = 'http://www.nlm.nih.gov/research/umls/rxnorm',
  UCUM = 'http://unitsofmeasure.org';
export const T = 'http://terminology.hl7.org/CodeSystem/';
export const COND = [
  ['44054006', 'Diabetes mellitus type 2 (disorder)'],
  ['59621000', 'Essential hypertension (disorder)'],
  ['55822004', 'Hyperlipidemia (disorder)'],
  ['195662009', 'Acute viral pharyngitis (disorder)'],
  ['10509002', 'Acute bronchitis (disorder)'],
  ['40055000', 'Chronic sinusitis (disorder)'],
  ['15777000', 'Prediabetes (finding)'],
  ['271737000', 'Anemia (disorder)'],
  ['162864005', 'Body mass index 30+ - obesity (finding)'],
  ['444814009', 'Viral sinusitis (disorder)'],
  ['195967001', 'Asthma (disorder)'],
  ['239873007', 'Osteoarthritis of knee (disorder)'],
  ['73595000', 'Stress (finding)'],
  ['66383009', 'Gingivitis (disorder)'],
];
export const MED = [
  ['860975', '24 HR Metformin hydrochloride 500 MG Extended Release Oral Tablet'],
  ['314076', 'lisinopril 10 MG Oral Tablet'],
  ['312961', 'Simvastatin 20 MG Oral Tablet'],
  ['308136', 'amLODIPine 2.5 MG Oral Tablet'],
  ['310798', 'Hydrochlorothiazide 25 MG Oral Tablet'],
  ['313782', 'Acetaminophen 325 MG Oral Tablet'],
  ['310965', 'Ibuprofen 200 MG Oral Tablet'],
  ['308182', 'Amoxicillin 250 MG Oral Capsule'],
  ['745679', '200 ACTUAT Albuterol 0.09 MG/ACTUAT Metered Dose Inhaler'],
  ['197604', 'digoxin 0.125 MG Oral Tablet'],
];
export const ENC = [
  ['162673000', 'General examination of patient (procedure)', 'AMB'],
  ['185345009', 'Encounter for symptom (procedure)', 'AMB'],
  ['390906007', 'Follow-up encounter (procedure)', 'AMB'],
  ['50849002', 'Emergency room admission (procedure)', 'EMER'],
  ['185347001', 'Encounter for problem (procedure)', 'AMB'],
  ['183452005', 'Encounter Inpatient (procedure)', 'IMP'],
];
export const PROC = [
  ['430193006', 'Medication Reconciliation (procedure)'],
  ['710824005', 'Assessment of health and social care needs (procedure)'],
  ['171207006', 'Depression screening (procedure)'],
  ['73761001', 'Colonoscopy (procedure)'],
];
export const IMM = [
  ['140', 'Influenza, seasonal, injectable, preservative free'],
  ['113', 'Td (adult) preservative free'],
  ['121', 'zoster vaccine, live'],
  ['208', 'SARS-COV-2 (COVID-19) vaccine, mRNA'],
];
export const LAB = [
  ['8302-2', 'Body Height', 'cm', 168, 10, 'vital-signs'],
  ['29463-7', 'Body Weight', 'kg', 80, 14, 'vital-signs'],
  ['39156-5', 'Body mass index (BMI) [Ratio]', 'kg/m2', 28, 4, 'vital-signs'],
  ['8867-4', 'Heart rate', '/min', 78, 9, 'vital-signs'],
  ['9279-1', 'Respiratory rate', '/min', 14, 2, 'vital-signs'],
  ['2339-0', 'Glucose [Mass/volume] in Blood', 'mg/dL', 98, 18, 'laboratory'],
  ['4548-4', 'Hemoglobin A1c/Hemoglobin.total in Blood', '%', 5.8, 0.7, 'laboratory'],
  ['2093-3', 'Cholesterol [Mass/volume] in Serum or Plasma', 'mg/dL', 190, 25, 'laboratory'],
  ['18262-6', 'Low Density Lipoprotein Cholesterol', 'mg/dL', 110, 20, 'laboratory'],
  ['38483-4', 'Creatinine [Mass/volume] in Blood', 'mg/dL', 1.0, 0.2, 'laboratory'],
  ['6298-4', 'Potassium [Moles/volume] in Blood', 'mmol/L', 4.3, 0.4, 'laboratory'],
  ['2947-0', 'Sodium [Moles/volume] in Blood', 'mmol/L', 140, 2.5, 'laboratory'],
];
