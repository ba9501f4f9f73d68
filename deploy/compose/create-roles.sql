-- Makes the roles of Andiron (docs/run/postgresql.md, Rights). The image of PostgreSQL runs it once, as a superuser, when its volume is
-- empty. The server is no superuser: it may create its schemas in this database, and use the role to which row-level security applies.
\set ON_ERROR_STOP on
\getenv password FHIR_DATABASE_PASSWORD
create role andiron_application nologin;
create role andiron_owner login password :'password';
grant andiron_application to andiron_owner;
grant create on database andiron to andiron_owner;
