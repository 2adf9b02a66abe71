import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { table } from '../../lib/table.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { inOneForm, visible } from '../../platform/http/shown-text.ts';
import { fault } from '../scim/faults.ts';
import type { Comparison, Filter, Value } from '../scim/filter.ts';
import type { Condition } from './scim-users.ts';

type Bool = RawBuilder<SqlBool>;

/** How the values of an attribute are compared (RFC 7643 §2.3, RFC 7644 §3.4.2.2). */
export interface Attribute {
  /** Whether it has a value; what is stored as an empty text has none. */
  present: Bool;
  /** Null if values of this kind are not compared so. */
  compare(op: Exclude<Comparison['op'], 'pr' | 'ne'>, value: Exclude<Value, null>): Bool | null;
  /** Whether comparing takes long, because texts of all rows are searched. */
  isSlow?(op: Comparison['op']): boolean;
  /** What a list is sorted by. */
  order: RawBuilder<unknown>;
}

const yes = sql<SqlBool>`1 = 1`;
const no = sql<SqlBool>`1 = 0`;
const always = (holds: boolean): Bool => (holds ? yes : no);

/** Without LIKE, which ignores case in SQLite, and with functions that both engines have. */
const textOps = table<(column: RawBuilder<unknown>, text: RawBuilder<unknown>) => Bool>({
  eq: (column, text) => sql<SqlBool>`${column} = ${text}`,
  co: (column, text) => sql<SqlBool>`replace(${column}, ${text}, '') <> ${column}`,
  sw: (column, text) => sql<SqlBool>`substr(${column}, 1, length(${text})) = ${text}`,
  ew: (column, text) =>
    sql<SqlBool>`(length(${column}) >= length(${text}) and substr(${column}, length(${column}) - length(${text}) + 1) = ${text})`,
});

type Case = 'exact' | 'ignored' | 'lower';

/** `lower`: the column is in lower case already. Ignoring case is left to the engine: SQLite knows that of ASCII. */
const text = (column: RawBuilder<unknown>, letters: Case, present: Bool = sql`${column} <> ''`): Attribute => {
  const compared = letters === 'ignored' ? sql`lower(${column})` : column;
  return {
    present,
    compare: (op, value) => {
      const ofText = textOps[op];
      if (typeof value !== 'string' || !ofText) return null;
      if (value === '') return op === 'eq' ? no : present;
      const given = sql`cast(${letters === 'lower' ? value.toLowerCase() : value} as text)`;
      return sql`(${present} and ${ofText(compared, letters === 'ignored' ? sql`lower(${given})` : given)})`;
    },
    isSlow: (op) => op !== 'pr' && (letters === 'ignored' || searches.has(op)),
    order: compared,
  };
};
const searches: ReadonlySet<string> = new Set(['co', 'sw', 'ew']);

const trimmed: Readonly<Record<string, (text: string) => string>> = table({
  eq: (text: string) => text.trim(),
  sw: (text: string) => text.trimStart(),
  ew: (text: string) => text.trimEnd(),
});

/** Names are stored in one form: compared in that form too, a directory finds what it sent. */
const name = (column: RawBuilder<unknown>, letters: Case): Attribute => {
  const stored = text(column, letters);
  const formed = (op: string, value: string): string => {
    const one = inOneForm(visible(value));
    return trimmed[op]?.(one) ?? one;
  };
  return {
    ...stored,
    compare: (op, value) => stored.compare(op, typeof value === 'string' ? formed(op, value) : value),
  };
};

/** Opaque to directories: equal or not. */
const id = (column: RawBuilder<unknown>): Attribute => ({
  present: yes,
  compare: (op, value) => {
    if (op !== 'eq' || typeof value === 'boolean') return null;
    // Other texts are no ids.
    return /^[1-9]\d{0,14}$/.test(String(value)) ? sql`${column} = ${Number(value)}` : no;
  },
  order: column,
});

const truth = (column: RawBuilder<unknown>): Attribute => ({
  present: yes,
  compare: (op, value) => {
    // Some directories write booleans as texts.
    const given = String(value).toLowerCase();
    return op === 'eq' && (given === 'true' || given === 'false') ? sql`${column} = ${given === 'true' ? 1 : 0}` : null;
  },
  order: column,
});

/** The same for all that have it. */
const constant = (value: string | boolean, present: Bool): Attribute => ({
  present,
  compare: (op, given) => {
    if (op !== 'eq') return null;
    return always(String(given).toLowerCase() === String(value).toLowerCase()) === yes ? present : no;
  },
  order: sql`1`,
});

/** Stored in seconds; RFC 3339 may have fractions. */
const time = (column: RawBuilder<unknown>): Attribute => ({
  present: yes,
  compare: (op, value) => {
    const seconds =
      typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) / 1000 : Number.NaN;
    if (!Number.isFinite(seconds)) return null;
    const [down, up] = [Math.floor(seconds), Math.ceil(seconds)];
    if (op === 'eq') return down === up ? sql`${column} = ${down}` : no;
    if (op === 'gt') return sql`${column} > ${down}`;
    if (op === 'ge') return sql`${column} >= ${up}`;
    if (op === 'lt') return sql`${column} < ${up}`;
    return op === 'le' ? sql`${column} <= ${down}` : null;
  },
  order: column,
});

interface Multiple {
  /** Of one of its values. */
  parts: Readonly<Record<string, Attribute>>;
  /** Whether there is a value for which this holds. */
  some(holds: Bool): Bool;
}

export interface Attributes {
  single: Readonly<Record<string, Attribute>>;
  multiple: Readonly<Record<string, Multiple>>;
}

const hasEmail = sql<SqlBool>`email <> ''`;
const address = text(sql.ref('address'), 'lower', hasEmail);
export const userAttributes: Attributes = {
  single: table({
    id: id(sql.ref('id')),
    username: name(sql.ref('user_key'), 'lower'),
    externalid: text(sql.ref('external_id'), 'exact'),
    displayname: name(sql.ref('display_name'), 'ignored'),
    'name.givenname': name(sql.ref('given_name'), 'ignored'),
    'name.familyname': name(sql.ref('family_name'), 'ignored'),
    'name.formatted': name(sql`trim(given_name || ' ' || family_name)`, 'ignored'),
    active: truth(sql.ref('active')),
    'meta.created': time(sql.ref('created_at')),
    'meta.lastmodified': time(sql.ref('updated_at')),
    'meta.resourcetype': constant('User', yes),
  }),
  multiple: table({
    // One address is stored, and shown with this type.
    emails: {
      parts: table({ value: address, type: constant('work', hasEmail), primary: constant(true, hasEmail) }),
      some: (holds) => sql`(${hasEmail} and ${holds})`,
    },
  }),
};

export const groupAttributes: Attributes = {
  single: table({
    id: id(sql.ref('id')),
    externalid: text(sql.ref('external_id'), 'exact'),
    displayname: name(sql.ref('name'), 'exact'),
    'meta.created': time(sql.ref('created_at')),
    'meta.resourcetype': constant('Group', yes),
  }),
  multiple: table({
    members: {
      parts: table({ value: id(sql.ref('p.scim_user_id')), type: constant('User', yes) }),
      some: (holds) => sql`id in (select p.team_id from organisation_scim_places p where ${holds})`,
    },
  }),
};

const unasked = (attribute: string) => fault('invalidFilter', `filter: ${attribute} cannot be asked for.`);

/** Ten thousand people are searched for one in about ten milliseconds; directories ask for one or two. */
const mostSlow = 4;

/** Counts what a filter costs. */
function openCount(): (attribute: Attribute, op: Comparison['op']) => void {
  let slow = 0;
  return (attribute, op) => {
    if (attribute.isSlow?.(op)) slow += 1;
    if (slow > mostSlow)
      throw fault('invalidFilter', `filter: must have at most ${mostSlow} comparisons of names, or by co, sw and ew.`);
  };
}
type Count = ReturnType<typeof openCount>;

function compared(attribute: Attribute, { attribute: name, op, value = null }: Comparison, count: Count): Bool {
  count(attribute, op);
  if (op === 'pr') return attribute.present;
  if (value === null) {
    if (op !== 'eq' && op !== 'ne') throw fault('invalidFilter', `filter: ${name} ${op} null means nothing.`);
    return op === 'ne' ? attribute.present : sql`not (${attribute.present})`;
  }
  const holds = attribute.compare(op === 'ne' ? 'eq' : op, value);
  if (!holds) throw fault('invalidFilter', `filter: ${name} is not compared by ${op} with ${JSON.stringify(value)}.`);
  return op === 'ne' ? sql`not (${holds})` : holds;
}

/** Of one value of a multi-valued attribute. */
function ofParts({ parts }: Multiple, name: string, filter: Filter, count: Count): Bool {
  return written(filter, (leaf) => {
    const part = 'some' in leaf ? undefined : parts[leaf.attribute];
    if ('some' in leaf || !part) throw unasked(`${name}.${'some' in leaf ? leaf.some : leaf.attribute}`);
    return compared(part, leaf, count);
  });
}

/** §3.4.2.2: a multi-valued attribute matches if one of its values does. */
function ofResource({ single, multiple }: Attributes, leaf: Leaf, count: Count): Bool {
  const [name, part = 'value', ...rest] = ('some' in leaf ? leaf.some : leaf.attribute).split('.');
  const many = rest.length === 0 ? multiple[name!] : undefined;
  if ('some' in leaf) {
    if (!many || leaf.some !== name) throw unasked(leaf.some);
    return many.some(ofParts(many, name, leaf.where, count));
  }
  if (many && leaf.attribute === name && leaf.op === 'pr') return many.some(yes);
  // There is no value without what it is: `eq null` is that there is none.
  if (many && leaf.op === 'eq' && leaf.value === null) return sql`not (${many.some(yes)})`;
  if (many) return many.some(ofParts(many, name!, { ...leaf, attribute: part }, count));
  const attribute = single[leaf.attribute];
  if (!attribute) throw unasked(leaf.attribute);
  return compared(attribute, leaf, count);
}

type Leaf = Comparison | { some: string; where: Filter };

function written(filter: Filter, leaf: (leaf: Leaf) => Bool): Bool {
  if ('all' in filter) return joined(filter.all, leaf, sql` and `);
  if ('any' in filter) return joined(filter.any, leaf, sql` or `);
  if ('not' in filter) return sql`not (${written(filter.not, leaf)})`;
  return leaf(filter);
}

const joined = (parts: Filter[], leaf: (leaf: Leaf) => Bool, by: RawBuilder<unknown>): Bool =>
  sql`(${sql.join(
    parts.map((part) => written(part, leaf)),
    by,
  )})`;

/** Every value is a parameter. Throws for what cannot be asked for. */
const conditionOf =
  <T extends keyof Tables>(attributes: Attributes) =>
  (filter: Filter | null): Condition<T> => {
    const count = openCount();
    const condition: Expression<SqlBool> = filter
      ? written(filter, (leaf) => ofResource(attributes, leaf, count))
      : yes;
    return (_: ExpressionBuilder<Tables, T>) => condition;
  };

export const usersLike = conditionOf<'organisation_scim_users'>(userAttributes);
export const groupsLike = conditionOf<'organisation_teams'>(groupAttributes);
