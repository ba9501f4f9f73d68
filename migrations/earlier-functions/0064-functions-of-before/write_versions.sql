-- As store_versions, for processes of schema 61, which number changes with 32 bits. With the owner's rights, because the application
-- role gets its right to store_versions only after this text has replaced the one before.
create or replace function andiron.write_versions(
  p_space int,
  p_type smallint[], p_key bigint[], p_expected int[], p_change smallint[], p_id text[],
  p_old_sort_date bigint[], p_sort_date bigint[], p_presence bytea[], p_meta_offset int[], p_author text[],
  p_body text[], p_target_key bigint[], p_target_end int[],
  p_token_member int[], p_token_parameter int[], p_token_value bigint[], p_token_system int[],
  p_reference_member int[], p_reference_parameter int[], p_reference_key bigint[], p_reference_type smallint[],
  p_range_member int[], p_range_parameter int[], p_range_qualifier bigint[], p_range_qualifier_system int[],
  p_range_low float8[], p_range_high float8[], p_range_unit_system int[], p_range_unit_code int[],
  p_range_unit_name int[], p_range_extremes smallint[],
  p_string_member int[], p_string_parameter int[], p_string_value text[], p_string_exact int[],
  p_string_extremes smallint[],
  p_uri_member int[], p_uri_parameter int[], p_uri_value text[], p_uri_version text[],
  p_has_removals boolean
) returns table (member int, version int, last_updated bigint, sequence int)
language sql
security definer
set search_path = pg_catalog, pg_temp
as $function$
  select w.member, w.version, w.last_updated, w.sequence::int from andiron.store_versions(
    p_space, p_type, p_key, p_expected, p_change, p_id, p_old_sort_date, p_sort_date, p_presence, p_meta_offset,
    p_author, p_body, p_target_key, p_target_end, p_token_member, p_token_parameter, p_token_value, p_token_system,
    p_reference_member, p_reference_parameter, p_reference_key, p_reference_type, p_range_member, p_range_parameter,
    p_range_qualifier, p_range_qualifier_system, p_range_low, p_range_high, p_range_unit_system, p_range_unit_code,
    p_range_unit_name, p_range_extremes, p_string_member, p_string_parameter, p_string_value, p_string_exact,
    p_string_extremes, p_uri_member, p_uri_parameter, p_uri_value, p_uri_version, p_has_removals
  ) w
$function$;
