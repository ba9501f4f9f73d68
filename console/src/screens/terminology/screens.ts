/** The screens of terminology, which load together. */
export { DefinitionScreen } from './definition-screen';
export { TerminologyHome } from './terminology-home';
