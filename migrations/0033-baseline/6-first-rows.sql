-- The rows of a new database: its keys, the base spaces, and the tenant `system` with its spaces and counters.

insert into andiron.installation (hash_key, cursor_key)
values (decode(replace(gen_random_uuid()::text, '-', ''), 'hex'),
        decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));

insert into andiron.space (number, tenant, release) overriding system value values (1, null, 'r4'), (2, null, 'r4b');

insert into andiron.tenant (name) values ('system');
insert into andiron.space (tenant, release, kind)
select t.number, x.release, x.kind
from andiron.tenant t, (values ('r4', 'data'), ('r4b', 'data'), ('r4', 'audit'), ('r4b', 'audit')) as x (release, kind);
insert into andiron.change_counter (tenant)
select distinct s.counter from andiron.space s where s.tenant is not null;
