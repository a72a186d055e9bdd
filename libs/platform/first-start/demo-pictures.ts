/** Pictures of the demo's deals: 900 by 600, which browsers scale. */
const DRAWINGS: Readonly<Record<string, string>> = {
  'rowing.svg': `<path fill="#bfe0f5" d="M0 0h900v600H0z"/><circle cx="700" cy="140" r="70" fill="#ffd76e"/>
<path fill="#2f7fb3" d="M0 360h900v240H0z"/><path fill="#7a4a25" d="M180 380h540l-70 60H250z"/>
<path stroke="#f3e3c8" stroke-width="14" d="M330 390 150 500M560 390l190 110"/><circle cx="360" cy="320" r="34" fill="#5b3a29"/>
<circle cx="530" cy="320" r="34" fill="#d99a6c"/><path fill="#c8402f" d="M325 385v-30h70v30zM495 385v-30h70v30z"/>`,
  'yoga.svg': `<path fill="#efe3f7" d="M0 0h900v600H0z"/><ellipse cx="450" cy="470" rx="280" ry="34" fill="#b48ed1"/>
<circle cx="450" cy="180" r="52" fill="#8a5a3c"/><path fill="#4b7f6b" d="M400 250h100l20 130H380z"/>
<path fill="none" stroke="#8a5a3c" stroke-width="30" stroke-linecap="round" d="M400 270 300 380M500 270l100 110M390 400l-110 50h340l-110-50"/>`,
  'coffee.svg': `<path fill="#f6ead9" d="M0 0h900v600H0z"/><path fill="#fff" d="M270 230h300v170a110 110 0 0 1-110 110h-80a110 110 0 0 1-110-110z"/>
<path fill="none" stroke="#fff" stroke-width="34" d="M570 270h50a55 55 0 0 1 0 130h-60"/><ellipse cx="420" cy="232" rx="150" ry="26" fill="#5a3620"/>
<path fill="none" stroke="#c9b49b" stroke-width="14" stroke-linecap="round" d="M360 170q-30-40 0-80M420 170q-30-40 0-80M480 170q-30-40 0-80"/>`,
  'lunch.svg': `<path fill="#e2f0e3" d="M0 0h900v600H0z"/><circle cx="450" cy="310" r="190" fill="#fff"/><circle cx="450" cy="310" r="140" fill="#eef3ee"/>
<path fill="#6aa84f" d="M360 320q90-130 180 0-90 90-180 0z"/><circle cx="420" cy="330" r="30" fill="#d9412f"/><circle cx="490" cy="300" r="24" fill="#e8902f"/>
<path stroke="#8b96a1" stroke-width="18" stroke-linecap="round" d="M190 170v280M710 170v280"/>`,
};

/** A picture as SVG; undefined for any other name. */
export function demoPicture(name: string): string | undefined {
  const drawing = Object.hasOwn(DRAWINGS, name) ? DRAWINGS[name] : undefined;
  return (
    drawing && `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 600" width="900" height="600">${drawing}</svg>`
  );
}
