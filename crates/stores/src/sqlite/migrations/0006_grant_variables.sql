-- Grants name the variables they are bound to in a field of their own. Before, names and digest stood as a first word
-- of the arguments, marked by a zero byte: "\u0000A,B=sha256:<hex>". Names are letters, digits and underscores.
UPDATE grants
SET record = json_set(
    json_remove(record, '$.arguments.words[0]'),
    '$.variables',
    json_object(
        'names',
        json('["' || replace(
            substr(record -> '$.arguments.words[0]', 8, instr(record -> '$.arguments.words[0]', '=sha256:') - 8),
            ',', '","'
        ) || '"]'),
        'digest',
        rtrim(
            substr(record -> '$.arguments.words[0]', instr(record -> '$.arguments.words[0]', '=sha256:') + 8),
            '"'
        )
    )
)
WHERE record -> '$.arguments.words[0]' LIKE '"\u0000%=sha256:%';
