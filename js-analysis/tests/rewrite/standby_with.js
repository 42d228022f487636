// standby
with (o) { x = 1; p.q = { r: 2 }; let y = 3; }
z = 4;
