-- Returns true or fails (AN006). A statement whose result is not awaited stops those that are pipelined behind it, and the
-- commit.
create or replace function andiron.require(p_holds boolean) returns boolean
language plpgsql
as $function$
begin
  if p_holds is not true then
    raise exception 'what a transaction relies on does not hold' using errcode = 'AN006';
  end if;
  return true;
end
$function$;
