import { OPERATORS, type FilterName } from './condition.js';

/** What follows each name; the braces build the rest of its condition. */
const FORMS: Readonly<Record<FilterName, string>> = {
  category: '"[" _ values:Categories "]" { return { values }; }',
  subcategory: '"[" _ values:Categories "]" { return { values }; }',
  price: '@Price',
  region: '"[" _ values:Regions "]" { return { values }; }',
  region_city: '"[" _ values:Cities "]" { return { values }; }',
  lat_long: '"[" _ @Circle "]"',
  sold_out: '"[" _ value:Truth "]" { return { value }; }',
};

const forms = Object.entries(FORMS).map(([name, form]) => `&{ return name === '${name}'; } ${form}`);

/** Longer operators first: the grammar takes the first that fits. */
const operators = OPERATORS.toSorted((a, b) => b.length - a.length).map((operator) => `"${operator}"`);

/**
 * The grammar of `filter` (interface 4.2): conditions separated by commas; each begins with its name. Blanks count only
 * inside names. The actions build the tree of condition.ts. A refusal shows a rule's label (`Cents "a number"`) as what it
 * expected.
 */
export const FILTER_GRAMMAR = String.raw`
{{
  const NAMES = ${JSON.stringify(Object.keys(FORMS))};
}}

Filter
  = _ first:Condition rest:("," _ @Condition)* { return [first, ...rest]; }

Condition
  = name:Name condition:(
      ${forms.join('\n    / ')}
    ) _ { return { name, ...condition }; }

Name "the name of a filter"
  = name:$[A-Za-z0-9_]+ _ {
      if (!NAMES.includes(name)) error(name + ' is not a filter');
      return name;
    }

Categories
  = first:Category rest:("," _ @Category)* { return [first, ...rest]; }

Category "a slug or a name"
  = text:Text _ { return text; }

Regions
  = first:Region rest:("," _ @Region)* { return [first, ...rest]; }

Region "the slug of a region"
  = slug:$[a-z0-9-]+ _ { return slug; }

Price
  = operator:Operator _ cents:Cents { return { operator, cents }; }
  / "[" _ first:Cents rest:("," _ @Cents)* "]" { return { values: [first, ...rest] }; }

Operator "a comparison (${OPERATORS.join(', ')})"
  = ${operators.join(' / ')}

Cents "a number"
  = digits:$[0-9]+ _ {
      const cents = Number(digits);
      if (!Number.isSafeInteger(cents)) error('price must be at most ' + Number.MAX_SAFE_INTEGER);
      return cents;
    }

Cities
  = city:City { return [city]; }
  / first:BracketedCity rest:("," _ @BracketedCity)* { return [first, ...rest]; }

BracketedCity
  = "[" _ @City "]" _

City
  = city:CityName "," _ state:State { return { city, state, at: offset() }; }

CityName "a city"
  = text:Text _ { return text; }

State "a state of two letters"
  = state:$([A-Za-z] [A-Za-z]) ![A-Za-z] _ { return state.toUpperCase(); }

Circle
  = latitude:Latitude "," _ longitude:Longitude "," _ miles:Miles { return { latitude, longitude, miles }; }

Latitude
  = degrees:Number {
      if (degrees < -90 || degrees > 90) error('latitude must be from -90 to 90');
      return degrees;
    }

Longitude
  = degrees:Number {
      if (degrees < -180 || degrees > 180) error('longitude must be from -180 to 180');
      return degrees;
    }

// Half the circumference of the earth: no two places are farther apart.
Miles
  = miles:Number {
      if (miles < 0 || miles > 12500) error('radius must be from 0 to 12500');
      return miles;
    }

Number "a number"
  = digits:$("-"? ([0-9]+ ("." [0-9]*)? / "." [0-9]+) ([eE] [+-]? [0-9]+)?) _ { return Number(digits); }

Truth "true or false"
  = value:$("true" / "false") ![A-Za-z0-9_] _ { return value === 'true'; }

Text
  = $(Word (Blank+ Word)*)

Word
  = [^\[\], \t\r\n]+

Blank
  = [ \t\r\n]

_ "blanks"
  = Blank*
`;
