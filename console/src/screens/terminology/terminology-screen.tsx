export default function TerminologyScreen() {
  return <p />;
}
