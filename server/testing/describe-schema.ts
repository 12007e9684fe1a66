import pg from 'pg'

export async function describeSchema(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ line: string }>(statement, [['public', 'jobs', 'sandbox', 'drizzle']])
    // Daily tables that the job queue creates for its figures.
    return rows.map(({ line }) => line).filter((line) => !/\bqueue_stats_\d+/.test(line))
  } finally {
    await client.end()
  }
}

const statement = `
with ours as (select oid, nspname from pg_namespace where nspname = any($1)),
tables as (select c.*, c.oid::regclass::text as name from pg_class c join ours on ours.oid = c.relnamespace)
select line from (
  select 'column ' || t.name || '.' || attname || ' ' || format_type(atttypid, atttypmod)
    || case when attnotnull then ' not null' else '' end || ' ' || attidentity::text || attgenerated::text
    || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')
  from pg_attribute a join tables t on t.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where relkind in ('r', 'p', 'v') and attnum > 0 and not attisdropped
  union all
  select 'constraint ' || conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(c.oid)
  from pg_constraint c join ours on ours.oid = connamespace where contype <> 'n'
  union all
  select 'index ' || pg_get_indexdef(oid) || case when indisvalid then '' else ' INVALID' end
  from tables join pg_index on indexrelid = oid
  union all
  select 'trigger ' || pg_get_triggerdef(g.oid) from pg_trigger g join tables t on t.oid = tgrelid where not tgisinternal
  union all
  select 'function ' || pg_get_functiondef(p.oid) from pg_proc p join ours on ours.oid = pronamespace
  where not exists (select from pg_depend where objid = p.oid and deptype = 'e')
  union all
  select 'enum ' || enumtypid::regtype::text || ' ' || string_agg(enumlabel, ' ' order by enumsortorder)
  from pg_enum join pg_type t on t.oid = enumtypid join ours on ours.oid = typnamespace group by enumtypid
  union all
  select 'partition ' || name || ' ' || coalesce(pg_get_expr(relpartbound, oid), pg_get_partkeydef(oid))
  from tables where relispartition or relkind = 'p'
  union all
  select 'sequence ' || schemaname || '.' || sequencename || ' ' || data_type::text || ' ' || increment_by
  from pg_sequences where schemaname = any($1)
  union all
  select 'extension ' || extname from pg_extension where extname <> 'plpgsql'
) lines (line) order by line`
