export default function AdministrationScreen() {
  return <p />;
}
