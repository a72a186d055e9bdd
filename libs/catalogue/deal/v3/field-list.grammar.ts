/**
 * The grammar of `fields` (interface 4.2): names separated by commas, with sub-fields in square brackets after a name. It
 * nests only as deep as a deal's fields: deal, location, address.
 */
export const FIELD_LIST_GRAMMAR = String.raw`
Fields
  = _ @List

List
  = first:Field rest:("," _ @Field)* { return [first, ...rest]; }

Field
  = name:Name parts:("[" _ @Parts "]" _)? { return { name, parts }; }

Parts
  = first:Part rest:("," _ @Part)* { return [first, ...rest]; }

Part
  = name:Name parts:("[" _ @Leaves "]" _)? { return { name, parts }; }

Leaves
  = first:Leaf rest:("," _ @Leaf)* { return [first, ...rest]; }

Leaf
  = name:Name { return { name, parts: null }; }

Name "the name of a field"
  = name:$(Word (Blank+ Word)*) _ { return name; }

Word
  = [^\[\], \t\r\n]+

Blank
  = [ \t\r\n]

_ "blanks"
  = Blank*
`;
