/** A pagination fragment of Relay, for the compiler; relay.test.ts reads its artifacts. */
const graphql = String.raw;

export const PAGES = graphql`
  query pagesQuery {
    ...pages_patients
  }

  fragment pages_patients on Query
  @refetchable(queryName: "pagesPaginationQuery")
  @argumentDefinitions(count: { type: "Int", defaultValue: 1 }, cursor: { type: "String" }) {
    PatientConnection(_sort: "_id", first: $count, after: $cursor)
      @connection(key: "pages_PatientConnection") {
      edges {
        node {
          birthDate
        }
      }
    }
  }
`;
